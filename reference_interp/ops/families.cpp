#include "reference_interp/ops/families.h"

namespace warplock::reference_interp {

template <int W>
Handler<W> handler_of(const ptx::Instruction& in, const RegisterWidths& widths) {
  using ptx::Opcode;
  switch (in.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMad:
      return in.modifiers.carry_out ? extended_handler<W>(in) : arithmetic_handler<W>(in);
    case Opcode::kAddc:
    case Opcode::kSubc:
    case Opcode::kMadc:
      return extended_handler<W>(in);
    case Opcode::kMul:
    case Opcode::kMul24:
    case Opcode::kMad24:
    case Opcode::kSad:
    case Opcode::kDiv:
    case Opcode::kRem:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kDp4a:
    case Opcode::kDp2a:
      return arithmetic_handler<W>(in);
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBfind:
    case Opcode::kFns:
    case Opcode::kBrev:
    case Opcode::kBfe:
    case Opcode::kBfi:
    case Opcode::kSzext:
    case Opcode::kBmsk:
      return bitfield_handler<W>(in);
    case Opcode::kSet:
    case Opcode::kSetp:
    case Opcode::kSelp:
    case Opcode::kSlct:
      return compare_handler<W>(in);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kCnot:
    case Opcode::kLop3:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kShf:
    case Opcode::kPrmt:
      return logic_shift_handler<W>(in);
    case Opcode::kMov:
    case Opcode::kIsspacep:
    case Opcode::kCvta:
      return movement_handler<W>(in);
    case Opcode::kCvt:
      return convert_handler<W>(in, widths);
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt:
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kMembar:
    case Opcode::kFence:
      return memory_handler<W>(in, widths);
    case Opcode::kBra:
    case Opcode::kBrxIdx:
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kExit:
    case Opcode::kTrap:
    case Opcode::kNop:
      return control_handler<W>(in);
    case Opcode::kBar:
      return barrier_handler<W>(in);
    case Opcode::kAtom:
    case Opcode::kRed:
      return atomic_handler<W>(in);
    case Opcode::kBarWarpSync:
    case Opcode::kShfl:
    case Opcode::kVote:
    case Opcode::kMatch:
    case Opcode::kActivemask:
    case Opcode::kRedux:
      return warp_handler<W>(in);
  }
  return nullptr;
}

template Handler<4> handler_of<4>(const ptx::Instruction&, const RegisterWidths&);
template Handler<32> handler_of<32>(const ptx::Instruction&, const RegisterWidths&);

}  // namespace warplock::reference_interp
