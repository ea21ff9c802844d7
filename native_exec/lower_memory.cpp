#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>

#include "native_exec/lowering.h"

/// Announces every access to memory.
namespace warplock::native_exec {
namespace {

using llvm::AtomicRMWInst;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

std::string spelling(const llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  type->print(out);
  return out.str();
}

/// How a value lies in memory: elements of at most 8 bytes, each an event.
Site access_site(const llvm::DataLayout& layout, llvm::Type* type, const std::string& what) {
  Site site;
  site.text = what + " " + spelling(type);
  llvm::Type* element = type;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    element = vector->getElementType();
  }
  const uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
  const uint64_t width = layout.getTypeStoreSize(element).getFixedValue();
  if (width == 1 || width == 2 || width == 4 || width == 8) {
    site.width = static_cast<uint32_t>(width);
  } else {
    site.width = bytes % 8 == 0 ? 8 : 1;
  }
  site.count = static_cast<uint32_t>(bytes / site.width);
  return site;
}

/// A thread's own variable that the address provably lies in, or null.
llvm::AllocaInst* own_variable(Value* address) {
  return llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(address, 0));
}

uint64_t size_of(const llvm::DataLayout& layout, const llvm::AllocaInst& variable) {
  const auto size = variable.getAllocationSize(layout);
  return size ? size->getFixedValue() : 0;
}

/// Accesses to a thread's own variables leave no events; only those with a computed address can be
/// out of bounds.
void check_own_variable(Lowering& lowering, Instruction& access, Value* address,
                        llvm::AllocaInst& variable, Site site) {
  const llvm::DataLayout& layout = lowering.module().getDataLayout();
  llvm::APInt offset(64, 0);
  const Value* base =
      address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const uint64_t size = size_of(layout, variable), bytes = site.bytes();
  if (base == &variable && offset.ule(size) && bytes <= size - offset.getZExtValue()) return;
  IRBuilder<> builder(&access);
  lowering.call(
      builder, "warplock_local",
      {address, &variable, builder.getInt64(size), lowering.site(access, std::move(site))});
}

void instrument_load(Lowering& lowering, llvm::LoadInst& load) {
  Site site = access_site(lowering.module().getDataLayout(), load.getType(),
                          load.isVolatile() ? "load volatile" : "load");
  Value* const address = load.getPointerOperand();
  if (llvm::AllocaInst* variable = own_variable(address)) {
    check_own_variable(lowering, load, address, *variable, std::move(site));
    return;
  }
  site.alignment = static_cast<uint32_t>(load.getAlign().value());
  site.waits = load.isVolatile() || load.isAtomic();
  IRBuilder<> builder(&load);
  lowering.call(builder, "warplock_load", {address, lowering.site(load, std::move(site))});
}

void instrument_store(Lowering& lowering, llvm::StoreInst& store) {
  Site site = access_site(lowering.module().getDataLayout(), store.getValueOperand()->getType(),
                          store.isVolatile() ? "store volatile" : "store");
  Value* const address = store.getPointerOperand();
  if (llvm::AllocaInst* variable = own_variable(address)) {
    check_own_variable(lowering, store, address, *variable, std::move(site));
    return;
  }
  site.alignment = static_cast<uint32_t>(store.getAlign().value());
  IRBuilder<> builder(&store);
  llvm::ConstantInt* const number = lowering.site(store, std::move(site));
  lowering.call(builder, "warplock_before_store", {address, number});
  builder.SetInsertPoint(store.getNextNode());
  lowering.call(builder, "warplock_after_store", {address, number});
}

std::optional<AtomicOp> operation_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
      return AtomicOp::kAdd;  // PTX adds the negated operand
    case AtomicRMWInst::And:
      return AtomicOp::kAnd;
    case AtomicRMWInst::Or:
      return AtomicOp::kOr;
    case AtomicRMWInst::Xor:
      return AtomicOp::kXor;
    case AtomicRMWInst::Xchg:
      return AtomicOp::kExchange;
    case AtomicRMWInst::Min:
      return AtomicOp::kMinSigned;
    case AtomicRMWInst::Max:
      return AtomicOp::kMaxSigned;
    case AtomicRMWInst::UMin:
      return AtomicOp::kMinUnsigned;
    case AtomicRMWInst::UMax:
      return AtomicOp::kMaxUnsigned;
    case AtomicRMWInst::UIncWrap:
      return AtomicOp::kIncrement;
    case AtomicRMWInst::UDecWrap:
      return AtomicOp::kDecrement;
    default:
      return std::nullopt;
  }
}

bool is_atomic_width(const llvm::Type* type) {
  return type->isIntegerTy(32) || type->isIntegerTy(64);
}

void lower_atomic(Lowering& lowering, AtomicRMWInst& atomic) {
  const auto operation = operation_of(atomic.getOperation());
  if (!operation || !is_atomic_width(atomic.getType())) {
    lowering.refuse(atomic, "an atomic operation that is none of CUDA's on 32 or 64-bit integers");
    return;
  }
  IRBuilder<> builder(&atomic);
  Value* operand = atomic.getValOperand();
  if (atomic.getOperation() == AtomicRMWInst::Sub) operand = builder.CreateNeg(operand);
  Site site =
      access_site(lowering.module().getDataLayout(), atomic.getType(),
                  "atomicrmw " + AtomicRMWInst::getOperationName(atomic.getOperation()).str());
  site.op = *operation;
  Value* const old = lowering.call(builder, "warplock_atomic",
                                   {atomic.getPointerOperand(), operand, builder.getInt64(0),
                                    lowering.site(atomic, std::move(site))});
  atomic.replaceAllUsesWith(builder.CreateTrunc(old, atomic.getType()));
  atomic.eraseFromParent();
}

void lower_atomic(Lowering& lowering, llvm::AtomicCmpXchgInst& atomic) {
  llvm::Type* const type = atomic.getCompareOperand()->getType();
  if (!is_atomic_width(type)) {
    lowering.refuse(atomic, "a compare and swap of neither 32 nor 64 bits");
    return;
  }
  IRBuilder<> builder(&atomic);
  Site site = access_site(lowering.module().getDataLayout(), type, "cmpxchg");
  site.op = AtomicOp::kCompareExchange;
  Value* const old = builder.CreateTrunc(
      lowering.call(builder, "warplock_atomic",
                    {atomic.getPointerOperand(), atomic.getNewValOperand(),
                     atomic.getCompareOperand(), lowering.site(atomic, std::move(site))}),
      type);
  Value* pair = llvm::PoisonValue::get(atomic.getType());
  pair = builder.CreateInsertValue(pair, old, 0);
  pair = builder.CreateInsertValue(pair, builder.CreateICmpEQ(old, atomic.getCompareOperand()), 1);
  atomic.replaceAllUsesWith(pair);
  atomic.eraseFromParent();
}

void lower_memory_intrinsic(Lowering& lowering, llvm::MemIntrinsic& intrinsic) {
  IRBuilder<> builder(&intrinsic);
  if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&intrinsic)) {
    lowering.call(builder, "warplock_fill",
                  {fill->getRawDest(), fill->getValue(), fill->getLength(),
                   lowering.site(intrinsic, "memset")});
  } else {
    auto& copy = llvm::cast<llvm::MemTransferInst>(intrinsic);
    lowering.call(builder, "warplock_copy",
                  {copy.getRawDest(), copy.getRawSource(), copy.getLength(),
                   lowering.site(intrinsic, "memcpy")});
  }
  intrinsic.eraseFromParent();
}

}  // namespace

void instrument_memory(Lowering& lowering, llvm::Function& function) {
  std::vector<Instruction*> accesses;
  for (llvm::BasicBlock& block : function) {
    for (Instruction& instruction : block) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst, AtomicRMWInst, llvm::AtomicCmpXchgInst,
                    llvm::MemIntrinsic>(instruction)) {
        accesses.push_back(&instruction);
      }
    }
  }
  for (Instruction* access : accesses) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) {
      instrument_load(lowering, *load);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) {
      instrument_store(lowering, *store);
    } else if (auto* atomic = llvm::dyn_cast<AtomicRMWInst>(access)) {
      lower_atomic(lowering, *atomic);
    } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(access)) {
      lower_atomic(lowering, *swap);
    } else {
      lower_memory_intrinsic(lowering, llvm::cast<llvm::MemIntrinsic>(*access));
    }
  }
}

}  // namespace warplock::native_exec
