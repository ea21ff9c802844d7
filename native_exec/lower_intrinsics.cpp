#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <map>
#include <optional>

#include "native_exec/lowering.h"

namespace warplock::native_exec {
namespace {

using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

std::optional<Special> special_of(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return Special::kThreadX;
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return Special::kThreadY;
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return Special::kThreadZ;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return Special::kBlockX;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      return Special::kBlockY;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return Special::kBlockZ;
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      return Special::kBlockDimX;
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
      return Special::kBlockDimY;
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return Special::kBlockDimZ;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return Special::kGridDimX;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      return Special::kGridDimY;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return Special::kGridDimZ;
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return Special::kLane;
    case Intrinsic::nvvm_read_ptx_sreg_warpid:
      return Special::kWarp;
    case Intrinsic::nvvm_read_ptx_sreg_nwarpid:
      return Special::kWarpCount;
    case Intrinsic::nvvm_read_ptx_sreg_warpsize:
      return Special::kWarpSize;
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
      return Special::kLaneMaskEq;
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
      return Special::kLaneMaskLe;
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
      return Special::kLaneMaskLt;
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
      return Special::kLaneMaskGe;
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
      return Special::kLaneMaskGt;
    default:
      return std::nullopt;
  }
}

/// Functions of their operands alone: the hook of the same meaning.
const char* arithmetic_of(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::nvvm_prmt:
      return "warplock_prmt";
    case Intrinsic::nvvm_sad_i:
      return "warplock_sad_s";
    case Intrinsic::nvvm_sad_ui:
      return "warplock_sad_u";
    case Intrinsic::nvvm_mulhi_i:
      return "warplock_mulhi_s32";
    case Intrinsic::nvvm_mulhi_ui:
      return "warplock_mulhi_u32";
    case Intrinsic::nvvm_mulhi_ll:
      return "warplock_mulhi_s64";
    case Intrinsic::nvvm_mulhi_ull:
      return "warplock_mulhi_u64";
    case Intrinsic::nvvm_mul24_i:
      return "warplock_mul24_s";
    case Intrinsic::nvvm_mul24_ui:
      return "warplock_mul24_u";
    case Intrinsic::nvvm_fns:
      return "warplock_fns";
    default:
      return nullptr;
  }
}

/// The inline assembly of ptx/cuda_builtins.h, by its text.
const char* arithmetic_of(const std::string& assembly) {
  static const std::map<std::string, const char*> known = {
      {"dp4a.s32.s32 $0, $1, $2, $3;", "warplock_dp4a_s"},
      {"dp4a.u32.u32 $0, $1, $2, $3;", "warplock_dp4a_u"},
      {"dp2a.lo.s32.s32 $0, $1, $2, $3;", "warplock_dp2a_lo_s"},
      {"dp2a.lo.u32.u32 $0, $1, $2, $3;", "warplock_dp2a_lo_u"},
      {"dp2a.hi.s32.s32 $0, $1, $2, $3;", "warplock_dp2a_hi_s"},
      {"dp2a.hi.u32.u32 $0, $1, $2, $3;", "warplock_dp2a_hi_u"},
  };
  const auto found = known.find(assembly);
  return found != known.end() ? found->second : nullptr;
}

/// A warp-wide operation, and which arguments of the intrinsic are what (-1: it has none).
struct WarpCall {
  WarpOp op;
  int mask, value, b, c;
};
std::optional<WarpCall> warp_call_of(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::nvvm_shfl_sync_idx_i32:
      return WarpCall{WarpOp::kShuffleIdx, 0, 1, 2, 3};
    case Intrinsic::nvvm_shfl_sync_up_i32:
      return WarpCall{WarpOp::kShuffleUp, 0, 1, 2, 3};
    case Intrinsic::nvvm_shfl_sync_down_i32:
      return WarpCall{WarpOp::kShuffleDown, 0, 1, 2, 3};
    case Intrinsic::nvvm_shfl_sync_bfly_i32:
      return WarpCall{WarpOp::kShuffleXor, 0, 1, 2, 3};
    case Intrinsic::nvvm_vote_all_sync:
      return WarpCall{WarpOp::kVoteAll, 0, 1, -1, -1};
    case Intrinsic::nvvm_vote_any_sync:
      return WarpCall{WarpOp::kVoteAny, 0, 1, -1, -1};
    case Intrinsic::nvvm_vote_uni_sync:
      return WarpCall{WarpOp::kVoteUniform, 0, 1, -1, -1};
    case Intrinsic::nvvm_vote_ballot_sync:
      return WarpCall{WarpOp::kVoteBallot, 0, 1, -1, -1};
    case Intrinsic::nvvm_match_any_sync_i32:
    case Intrinsic::nvvm_match_any_sync_i64:
      return WarpCall{WarpOp::kMatchAny, 0, 1, -1, -1};
    case Intrinsic::nvvm_match_all_sync_i32p:
    case Intrinsic::nvvm_match_all_sync_i64p:
      return WarpCall{WarpOp::kMatchAll, 0, 1, -1, -1};
    case Intrinsic::nvvm_redux_sync_add:
      return WarpCall{WarpOp::kReduceAdd, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_min:
      return WarpCall{WarpOp::kReduceMinSigned, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_max:
      return WarpCall{WarpOp::kReduceMaxSigned, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_umin:
      return WarpCall{WarpOp::kReduceMinUnsigned, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_umax:
      return WarpCall{WarpOp::kReduceMaxUnsigned, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_and:
      return WarpCall{WarpOp::kReduceAnd, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_or:
      return WarpCall{WarpOp::kReduceOr, 1, 0, -1, -1};
    case Intrinsic::nvvm_redux_sync_xor:
      return WarpCall{WarpOp::kReduceXor, 1, 0, -1, -1};
    case Intrinsic::nvvm_bar_warp_sync:
      return WarpCall{WarpOp::kSync, 0, -1, -1, -1};
    default:
      return std::nullopt;
  }
}

std::optional<BarrierOp> barrier_of(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::nvvm_barrier0:
      return BarrierOp::kSync;
    case Intrinsic::nvvm_barrier0_popc:
      return BarrierOp::kCount;
    case Intrinsic::nvvm_barrier0_and:
      return BarrierOp::kAnd;
    case Intrinsic::nvvm_barrier0_or:
      return BarrierOp::kOr;
    default:
      return std::nullopt;
  }
}

/// Atomics with a scope are intrinsics; without one they are LLVM's own instructions.
std::optional<llvm::AtomicRMWInst::BinOp> atomic_of(Intrinsic::ID id) {
  using llvm::AtomicRMWInst;
  switch (id) {
    case Intrinsic::nvvm_atomic_load_inc_32:
    case Intrinsic::nvvm_atomic_inc_gen_i_cta:
    case Intrinsic::nvvm_atomic_inc_gen_i_sys:
      return AtomicRMWInst::UIncWrap;
    case Intrinsic::nvvm_atomic_load_dec_32:
    case Intrinsic::nvvm_atomic_dec_gen_i_cta:
    case Intrinsic::nvvm_atomic_dec_gen_i_sys:
      return AtomicRMWInst::UDecWrap;
    case Intrinsic::nvvm_atomic_add_gen_i_cta:
    case Intrinsic::nvvm_atomic_add_gen_i_sys:
      return AtomicRMWInst::Add;
    case Intrinsic::nvvm_atomic_exch_gen_i_cta:
    case Intrinsic::nvvm_atomic_exch_gen_i_sys:
      return AtomicRMWInst::Xchg;
    // The intrinsics do not tell signed from unsigned: LLVM makes atom.max.s32 of either.
    case Intrinsic::nvvm_atomic_max_gen_i_cta:
    case Intrinsic::nvvm_atomic_max_gen_i_sys:
      return AtomicRMWInst::Max;
    case Intrinsic::nvvm_atomic_min_gen_i_cta:
    case Intrinsic::nvvm_atomic_min_gen_i_sys:
      return AtomicRMWInst::Min;
    case Intrinsic::nvvm_atomic_and_gen_i_cta:
    case Intrinsic::nvvm_atomic_and_gen_i_sys:
      return AtomicRMWInst::And;
    case Intrinsic::nvvm_atomic_or_gen_i_cta:
    case Intrinsic::nvvm_atomic_or_gen_i_sys:
      return AtomicRMWInst::Or;
    case Intrinsic::nvvm_atomic_xor_gen_i_cta:
    case Intrinsic::nvvm_atomic_xor_gen_i_sys:
      return AtomicRMWInst::Xor;
    default:
      return std::nullopt;
  }
}

void replace(CallInst& call, Value* value) {
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

void lower_warp_call(Lowering& lowering, CallInst& call, const WarpCall& shape) {
  IRBuilder<> builder(&call);
  const auto argument = [&](int index) -> Value* {
    return index < 0 ? builder.getInt32(0) : call.getArgOperand(static_cast<unsigned>(index));
  };
  Value* const packed =
      lowering.call(builder, "warplock_warp",
                    {builder.getInt32(static_cast<uint32_t>(shape.op)), argument(shape.mask),
                     argument(shape.value), argument(shape.b), argument(shape.c),
                     lowering.site(call, call.getCalledFunction()->getName().str())});
  Value* const value = builder.CreateTrunc(packed, builder.getInt32Ty());
  llvm::Type* const type = call.getType();
  if (type->isVoidTy()) {
    call.eraseFromParent();
  } else if (type->isIntegerTy(1)) {
    replace(call, builder.CreateICmpNE(value, builder.getInt32(0)));
  } else if (type->isStructTy()) {
    Value* const predicate =
        builder.CreateTrunc(builder.CreateLShr(packed, 32), builder.getInt1Ty());
    Value* pair = llvm::PoisonValue::get(type);
    pair = builder.CreateInsertValue(pair, value, 0);
    replace(call, builder.CreateInsertValue(pair, predicate, 1));
  } else {
    replace(call, value);
  }
}

/// True when the call was one of these; it is gone then.
bool lower_nvvm(Lowering& lowering, CallInst& call, Intrinsic::ID id) {
  IRBuilder<> builder(&call);
  std::vector<Value*> arguments(call.arg_begin(), call.arg_end());
  if (const auto special = special_of(id)) {
    replace(call, lowering.call(builder, "warplock_special",
                                {builder.getInt32(static_cast<uint32_t>(*special))}));
    return true;
  }
  if (const char* hook = arithmetic_of(id)) {
    replace(call, lowering.call(builder, hook, arguments));
    return true;
  }
  if (const auto shape = warp_call_of(id)) {
    lower_warp_call(lowering, call, *shape);
    return true;
  }
  if (const auto op = barrier_of(id)) {
    Value* const predicate = arguments.empty() ? builder.getInt32(0) : arguments[0];
    Value* const result = lowering.call(
        builder, "warplock_barrier",
        {builder.getInt32(static_cast<uint32_t>(*op)), predicate, lowering.site(call, "barrier")});
    if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(result);
    call.eraseFromParent();
    return true;
  }
  if (const auto operation = atomic_of(id)) {
    replace(call,
            builder.CreateAtomicRMW(*operation, arguments[0], arguments[1], llvm::MaybeAlign(),
                                    llvm::AtomicOrdering::SequentiallyConsistent));
    return true;
  }
  switch (id) {
    case Intrinsic::nvvm_atomic_cas_gen_i_cta:
    case Intrinsic::nvvm_atomic_cas_gen_i_sys:
      replace(call, builder.CreateExtractValue(
                        builder.CreateAtomicCmpXchg(arguments[0], arguments[1], arguments[2],
                                                    llvm::MaybeAlign(),
                                                    llvm::AtomicOrdering::SequentiallyConsistent,
                                                    llvm::AtomicOrdering::SequentiallyConsistent),
                        0));
      return true;
    case Intrinsic::nvvm_activemask:
      replace(call,
              lowering.call(builder, "warplock_active_mask", {lowering.site(call, "activemask")}));
      return true;
    case Intrinsic::nvvm_ldg_global_i: {
      const auto* align = llvm::dyn_cast<llvm::ConstantInt>(arguments[1]);
      replace(call, builder.CreateAlignedLoad(
                        call.getType(), arguments[0],
                        align != nullptr ? align->getMaybeAlignValue() : llvm::MaybeAlign()));
      return true;
    }
    // One fibre runs at a time and memory is one: fences order nothing more.
    case Intrinsic::nvvm_membar_cta:
    case Intrinsic::nvvm_membar_gl:
    case Intrinsic::nvvm_membar_sys:
      call.eraseFromParent();
      return true;
    default:
      return false;
  }
}

void lower_assembly(Lowering& lowering, CallInst& call) {
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  const std::string text(assembly->getAsmString());
  IRBuilder<> builder(&call);
  std::vector<Value*> arguments(call.arg_begin(), call.arg_end());
  if (text == "mov.u32 $0, WARP_SZ;") {
    replace(call, lowering.call(builder, "warplock_special",
                                {builder.getInt32(static_cast<uint32_t>(Special::kWarpSize))}));
  } else if (text == "activemask.b32 $0;") {
    replace(call,
            lowering.call(builder, "warplock_active_mask", {lowering.site(call, "activemask")}));
  } else if (const char* hook = arithmetic_of(text)) {
    replace(call, lowering.call(builder, hook, arguments));
  } else {
    lowering.refuse(call, fmt::format("inline PTX assembly: {}", text));
  }
}

/// LLVM's own intrinsics that need care; the rest every code generator knows.
void lower_generic(Lowering& lowering, CallInst& call, Intrinsic::ID id) {
  IRBuilder<> builder(&call);
  switch (id) {
    case Intrinsic::trap:
    case Intrinsic::ubsantrap:
    case Intrinsic::debugtrap:
      lowering.call(builder, "warplock_trap", {lowering.site(call, "trap")});
      call.eraseFromParent();
      break;
    case Intrinsic::assume:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::experimental_noalias_scope_decl:
      call.eraseFromParent();
      break;
    // Zero and the smallest number have results in PTX, whatever LLVM may assume.
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::abs:
      call.setArgOperand(1, builder.getFalse());
      break;
    default:
      if (call.getCalledFunction()->getName().starts_with("llvm.nvvm.")) {
        lowering.refuse(call,
                        fmt::format("the builtin {}", call.getCalledFunction()->getName().str()));
      }
      break;
  }
}

}  // namespace

void lower_intrinsics(Lowering& lowering, llvm::Function& function) {
  std::vector<CallInst*> calls;
  std::vector<llvm::FenceInst*> fences;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      if (auto* call = llvm::dyn_cast<CallInst>(&instruction)) calls.push_back(call);
      if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) fences.push_back(fence);
    }
  }
  for (llvm::FenceInst* fence : fences) fence->eraseFromParent();
  for (CallInst* call : calls) {
    if (call->isInlineAsm()) {
      lower_assembly(lowering, *call);
      continue;
    }
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration()) continue;
    const Intrinsic::ID id = callee->getIntrinsicID();
    if (id == Intrinsic::not_intrinsic) {
      lowering.refuse(*call,
                      fmt::format("{} is called but defined nowhere", callee->getName().str()));
    } else if (!lower_nvvm(lowering, *call, id)) {
      lower_generic(lowering, *call, id);
    }
  }
}

}  // namespace warplock::native_exec
