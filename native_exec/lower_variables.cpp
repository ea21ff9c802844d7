#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

#include "executor/launch.h"
#include "native_exec/lowering.h"

/// Variables get fixed addresses in an arena, and kernels a wrapper that unpacks their arguments.
namespace warplock::native_exec {
namespace {

constexpr unsigned kSharedSpace = 3;  // NVPTX's numbers for address spaces
/// Of all variables of a file together.
constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 30;

/// Names as LLVM's NVPTX back end prints them: '.' and '@' are no letters of PTX.
std::string ptx_name(llvm::StringRef name) {
  std::string result;
  for (const char c : name) {
    if (c == '.' || c == '@') {
      result += "_$_";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

void lower_variables(Lowering& lowering) {
  llvm::Module& module = lowering.module();
  Image& image = lowering.image();
  const llvm::DataLayout& layout = module.getDataLayout();
  for (const char* name : {"llvm.used", "llvm.compiler.used"}) {
    if (llvm::GlobalVariable* list = module.getGlobalVariable(name)) list->eraseFromParent();
  }
  std::vector<llvm::GlobalVariable*> variables;
  uint64_t room = Arena::room_for(executor::kMaxSharedBytes);
  for (llvm::GlobalVariable& variable : module.globals()) {
    variables.push_back(&variable);
    room += Arena::room_for(layout.getTypeAllocSize(variable.getValueType()).getFixedValue());
    if (room > kMaxVariableBytes) {
      throw UnsupportedProgram("the variables of the CUDA C file take more than 1 GiB");
    }
  }
  image.arena = std::make_unique<Arena>(room);
  std::byte* const dynamic_shared = image.arena->allocate(executor::kMaxSharedBytes);

  for (llvm::GlobalVariable* global : variables) {
    Variable variable;
    variable.name = ptx_name(global->getName());
    variable.size = layout.getTypeAllocSize(global->getValueType()).getFixedValue();
    if (global->getAddressSpace() == kSharedSpace) {
      variable.space = trace::Space::kShared;
      variable.is_dynamic_shared = global->isDeclaration();
      variable.memory =
          variable.is_dynamic_shared ? dynamic_shared : image.arena->allocate(variable.size);
    } else {
      variable.memory = image.arena->allocate(variable.size);
      if (global->hasInitializer()) {
        // The contents go into a constant of their own; every launch begins by copying them.
        variable.initial_symbol = fmt::format("warplock_initial_{}", image.variables.size());
        auto* initial = new llvm::GlobalVariable(module, global->getValueType(), true,
                                                 llvm::GlobalValue::ExternalLinkage,
                                                 global->getInitializer(), variable.initial_symbol);
        initial->setAlignment(global->getAlign());
      }
    }
    global->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(lowering.context()),
                               reinterpret_cast<uint64_t>(variable.memory)),
        global->getType()));
    global->eraseFromParent();
    image.variables.push_back(std::move(variable));
  }
}

void lower_entries(Lowering& lowering, const std::vector<llvm::Function*>& entries) {
  llvm::Module& module = lowering.module();
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::LLVMContext& context = lowering.context();
  llvm::Type* const pointer = llvm::PointerType::getUnqual(context);
  for (llvm::Function* function : entries) {
    if (function->isDeclaration()) continue;
    Entry entry;
    entry.name = ptx_name(function->getName());
    entry.wrapper_symbol = "warplock_entry_" + std::to_string(lowering.image().entries.size());
    auto* const wrapper = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
        llvm::GlobalValue::ExternalLinkage, entry.wrapper_symbol, module);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", wrapper));
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& parameter : function->args()) {
      const bool by_value = parameter.hasByValAttr();
      llvm::Type* const type = by_value ? parameter.getParamByValType() : parameter.getType();
      const uint64_t alignment = by_value ? parameter.getParamAlign().valueOrOne().value()
                                          : layout.getABITypeAlign(type).value();
      const auto size = static_cast<uint32_t>(layout.getTypeAllocSize(type).getFixedValue());
      entry.argument_bytes = static_cast<uint32_t>(llvm::alignTo(entry.argument_bytes, alignment));
      entry.parameter_offsets.push_back(entry.argument_bytes);
      entry.parameter_sizes.push_back(size);
      llvm::Value* const place =
          builder.CreateConstGEP1_64(builder.getInt8Ty(), wrapper->getArg(0), entry.argument_bytes);
      arguments.push_back(by_value ? place
                                   : builder.CreateAlignedLoad(type, place, llvm::Align(1)));
      entry.argument_bytes += size;
    }
    llvm::CallInst* const call = builder.CreateCall(function, arguments);
    call->setAttributes(function->getAttributes());
    builder.CreateRetVoid();
    lowering.image().entries.push_back(std::move(entry));
  }
}

}  // namespace warplock::native_exec
