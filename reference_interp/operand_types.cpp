#include "reference_interp/operand_types.h"

namespace warplock::reference_interp {
namespace {

using ptx::Opcode;
using ptx::Type;

Type doubled(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      return Type::kNone;
  }
}

bool reduces(const ptx::Instruction& in) {
  return in.modifiers.barrier != ptx::BarrierOp::kSync &&
         in.modifiers.barrier != ptx::BarrierOp::kArrive;
}

}  // namespace

Type source_type(const ptx::Instruction& in, size_t k) {
  const Type t = in.types[0];
  switch (in.opcode) {
    case Opcode::kMad:
      return k == 2 && in.modifiers.half == ptx::Half::kWide ? doubled(t) : t;
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      return k == 2 ? Type::kU32 : in.types[k];
    case Opcode::kFns:
      return k == 2 ? Type::kS32 : Type::kB32;
    case Opcode::kBfi:
      return k < 2 ? t : Type::kU32;
    case Opcode::kBfe:
    case Opcode::kSzext:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShfl:
    case Opcode::kMatch:
    case Opcode::kRedux:
      return k == 0 ? t : Type::kU32;
    case Opcode::kShf:
      return k < 2 ? t : Type::kU32;
    case Opcode::kBmsk:
    case Opcode::kBrxIdx:
    case Opcode::kBarWarpSync:
    case Opcode::kNop:
      return Type::kU32;
    case Opcode::kSet:
      return k < 2 ? in.types[1] : Type::kPred;
    case Opcode::kSetp:
    case Opcode::kSelp:
      return k < 2 ? t : Type::kPred;
    case Opcode::kSlct:
      return k < 2 ? t : in.types[1];
    case Opcode::kCvt:
      return in.types[1];
    case Opcode::kIsspacep:
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kLd:
    case Opcode::kLdu:
      return Type::kNone;
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kRed:
      return k == 0 ? Type::kNone : t;
    case Opcode::kBar:
      return reduces(in) && k + 1 == in.sources.size() ? Type::kPred : Type::kU32;
    case Opcode::kVote:
      return k == 0 ? Type::kPred : Type::kU32;
    default:
      return t;
  }
}

Type destination_type(const ptx::Instruction& in, size_t k) {
  const Type t = in.types[0];
  switch (in.opcode) {
    case Opcode::kMul:
    case Opcode::kMad:
      return in.modifiers.half == ptx::Half::kWide ? doubled(t) : t;
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      return Type::kU32;
    case Opcode::kSetp:
    case Opcode::kIsspacep:
      return Type::kPred;
    case Opcode::kMatch:
      return k == 0 ? Type::kB32 : Type::kPred;
    case Opcode::kShfl:
      return k == 0 ? t : Type::kPred;
    case Opcode::kBar:
      return in.modifiers.barrier == ptx::BarrierOp::kRedPopc ? Type::kU32 : Type::kPred;
    default:
      return t;
  }
}

}  // namespace warplock::reference_interp
