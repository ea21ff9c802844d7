#include "circuit/rules.h"

/// Shuffles (PTX ISA 9.7.9.6). What a lane reads from a lane that does not take part is undefined,
/// so that the machine's operations, which count lanes modulo 4, serve where they are right for
/// lanes 0 to 3.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::ShuffleMode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

/// Which lane is read, and whether it is in range: the formulas of the ISA.
struct Choice {
  Value from, valid;
};

Choice choose_lane(Emitter& e, Value b, Value c) {
  const Value lane = e.and_(Value::thread(), k(3));
  const Value amount = e.and_(b, k(31));
  const Value segment = e.and_(e.shr_u(c, k(8)), k(31));
  const Value inside = e.and_(lane, segment);
  const Value outside = e.not_(segment);
  const Value limit = e.or_(inside, e.and_(e.and_(c, k(31)), outside));
  switch (e.modifiers().shuffle) {
    case ShuffleMode::kUp: {
      const Value from = e.sub(lane, amount);
      return {from, e.flip(e.lt_s(from, limit))};
    }
    case ShuffleMode::kDown: {
      const Value from = e.add(lane, amount);
      return {from, e.flip(e.lt_s(limit, from))};
    }
    case ShuffleMode::kBfly: {
      const Value from = e.xor_(lane, amount);
      return {from, e.flip(e.lt_s(limit, from))};
    }
    default: {
      const Value from = e.or_(inside, e.and_(amount, outside));
      return {from, e.flip(e.lt_s(limit, from))};
    }
  }
}

/// True when the machine's own operation gives every defined result. `up` stays inside only for
/// amounts below 4; the other modes leave the warp, where nothing is defined, or the range.
bool is_direct(Emitter& e, Value b, Value c) {
  if (!c.is_constant() || (c.value >> 8 & 3) != 0) return false;
  const uint32_t limit = c.value & 31 & ~(c.value >> 8);
  if (e.modifiers().shuffle == ShuffleMode::kUp) {
    return limit == 0 && b.is_constant() && (b.value & 31) < 4;
  }
  const bool segments = (c.value >> 8 & 31) != 0;
  if (e.modifiers().shuffle == ShuffleMode::kIdx) return limit >= 3;
  return segments ? limit == 3 && b.is_constant() && (b.value & 31) < 4
                  : limit == 31 || (limit >= 3 && b.is_constant() && (b.value & 31) < 4);
}

MachineOp operation(ShuffleMode mode) {
  switch (mode) {
    case ShuffleMode::kUp:
      return MachineOp::kShflUp;
    case ShuffleMode::kDown:
      return MachineOp::kShflDown;
    case ShuffleMode::kBfly:
      return MachineOp::kShflXor;
    default:
      return MachineOp::kShflIdx;
  }
}

void shuffle(Emitter& e) {
  const Value a = e.in(0), b = e.in(1), c = e.in(2);
  const Choice choice = choose_lane(e, b, c);
  const bool direct = is_direct(e, b, c);
  const Value own = e.and_(Value::thread(), k(3));
  const Value d = direct ? e.define(operation(e.modifiers().shuffle), a, b)
                         : e.define(MachineOp::kShflIdx, a, e.sel(choice.valid, choice.from, own));
  if (e.has_destination(1)) e.out(1, choice.valid);
  e.out(0, d);
}

constexpr Rule kRules[] = {{"shfl", Opcode::kShfl, nullptr, shuffle, true}};

}  // namespace

std::span<const Rule> shuffle_rules() {
  return kRules;
}

}  // namespace warplock::circuit
