#include "native_exec/lowering.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <stdexcept>

#include "native_exec/hooks.h"

namespace warplock::native_exec {
namespace {

llvm::Type* type_of(llvm::LLVMContext& context, char letter) {
  switch (letter) {
    case 'v':
      return llvm::Type::getVoidTy(context);
    case 'i':
      return llvm::Type::getInt32Ty(context);
    case 'l':
      return llvm::Type::getInt64Ty(context);
    default:
      return llvm::PointerType::getUnqual(context);
  }
}

/// The functions that nvvm.annotations names as kernels.
std::vector<llvm::Function*> kernels(llvm::Module& module) {
  std::vector<llvm::Function*> result;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return result;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 3) continue;
    auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    const auto* key = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1).get());
    if (function == nullptr || key == nullptr || key->getString() != "kernel") continue;
    if (std::find(result.begin(), result.end(), function) == result.end())
      result.push_back(function);
  }
  return result;
}

/// Keeps what decides how arguments are passed and drops the rest: promises to the optimiser about
/// memory no longer hold once hooks are called, and "sm_80" is no processor of this machine.
llvm::AttributeList calling_attributes(llvm::LLVMContext& context, const llvm::AttributeList& all,
                                       unsigned parameters) {
  const auto keep = [&context](llvm::AttributeSet set) {
    llvm::AttrBuilder builder(context);
    for (const llvm::Attribute& attribute : set) {
      for (const auto kind :
           {llvm::Attribute::ByVal, llvm::Attribute::StructRet, llvm::Attribute::ZExt,
            llvm::Attribute::SExt, llvm::Attribute::Alignment}) {
        if (attribute.hasAttribute(kind)) builder.addAttribute(attribute);
      }
    }
    return llvm::AttributeSet::get(context, builder);
  };
  std::vector<llvm::AttributeSet> sets;
  for (unsigned i = 0; i < parameters; ++i) sets.push_back(keep(all.getParamAttrs(i)));
  llvm::AttrBuilder function(context);
  function.addAttribute(llvm::Attribute::NoUnwind);
  return llvm::AttributeList::get(context, llvm::AttributeSet::get(context, function),
                                  keep(all.getRetAttrs()), sets);
}

void make_ordinary(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  function.setCallingConv(llvm::CallingConv::C);
  function.setLinkage(llvm::GlobalValue::ExternalLinkage);
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setComdat(nullptr);
  function.setAttributes(calling_attributes(context, function.getAttributes(),
                                            static_cast<unsigned>(function.arg_size())));
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      instruction.dropUnknownNonDebugMetadata();
      // Undefined behaviour must not be taken advantage of a second time, in another way.
      instruction.dropPoisonGeneratingFlags();
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setCallingConv(llvm::CallingConv::C);
        call->setAttributes(calling_attributes(context, call->getAttributes(), call->arg_size()));
        if (auto* direct = llvm::dyn_cast<llvm::CallInst>(call)) {
          direct->setTailCallKind(llvm::CallInst::TCK_None);
        }
      }
    }
  }
}

}  // namespace

Lowering::Lowering(llvm::Module& module, Image& image) : module_(module), image_(image) {}

void Lowering::run() {
  const std::vector<llvm::Function*> entries = kernels(module_);
  std::vector<llvm::Function*> bodies;
  for (llvm::Function& function : module_) {
    if (!function.isDeclaration()) bodies.push_back(&function);
  }
  for (llvm::Function* function : bodies) {
    make_ordinary(*function);
    lower_intrinsics(*this, *function);
    lower_arithmetic(*this, *function);
    instrument_memory(*this, *function);
    instrument_control(*this, *function);
  }
  lower_variables(*this);
  lower_entries(*this, entries);
  llvm::StripDebugInfo(module_);
  for (const char* name : {"nvvm.annotations", "nvvmir.version"}) {
    if (llvm::NamedMDNode* node = module_.getNamedMetadata(name)) node->eraseFromParent();
  }
  if (llvm::NamedMDNode* flags = module_.getModuleFlagsMetadata()) flags->eraseFromParent();
  std::vector<llvm::Function*> unused;
  for (llvm::Function& function : module_) {
    if (function.isDeclaration() && function.use_empty()) unused.push_back(&function);
  }
  for (llvm::Function* function : unused) function->eraseFromParent();

  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (llvm::verifyModule(module_, &out)) {
    throw std::runtime_error("lowering made invalid LLVM IR: " + out.str());
  }
}

llvm::FunctionCallee Lowering::hook(const std::string& name) {
  for (const Hook& candidate : all_hooks()) {
    if (name != candidate.name) continue;
    std::vector<llvm::Type*> parameters;
    for (const char* letter = candidate.signature + 1; *letter != '\0'; ++letter) {
      parameters.push_back(type_of(context(), *letter));
    }
    return module_.getOrInsertFunction(
        name,
        llvm::FunctionType::get(type_of(context(), candidate.signature[0]), parameters, false));
  }
  throw std::logic_error("no hook " + name);
}

llvm::CallInst* Lowering::call(llvm::IRBuilder<>& builder, const std::string& name,
                               const std::vector<llvm::Value*>& arguments) {
  llvm::FunctionCallee function = hook(name);
  std::vector<llvm::Value*> converted;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::Type* const type = function.getFunctionType()->getParamType(static_cast<unsigned>(i));
    llvm::Value* const value = arguments[i];
    converted.push_back(type->isPointerTy() ? builder.CreateAddrSpaceCast(value, type)
                                            : builder.CreateZExtOrTrunc(value, type));
  }
  return builder.CreateCall(function, converted);
}

uint32_t line_of(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  return place ? place.getLine() : 0;
}

llvm::ConstantInt* Lowering::site(const llvm::Instruction& instruction, Site site) {
  site.line = line_of(instruction);
  image_.sites.push_back(std::move(site));
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context()), image_.sites.size() - 1);
}

llvm::ConstantInt* Lowering::site(const llvm::Instruction& instruction, const std::string& text) {
  Site result;
  result.text = text;
  return site(instruction, std::move(result));
}

void Lowering::refuse(llvm::Instruction& instruction, const std::string& reason) {
  auto& reasons = image_.unsupported;
  auto known = std::find(reasons.begin(), reasons.end(), reason);
  if (known == reasons.end()) known = reasons.insert(reasons.end(), reason);
  llvm::IRBuilder<> builder(&instruction);
  call(builder, "warplock_unsupported",
       {builder.getInt32(static_cast<uint32_t>(known - reasons.begin())),
        site(instruction, "unsupported")});
  if (!instruction.getType()->isVoidTy()) {
    instruction.replaceAllUsesWith(llvm::Constant::getNullValue(instruction.getType()));
  }
  instruction.eraseFromParent();
}

}  // namespace warplock::native_exec
