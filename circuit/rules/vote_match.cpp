#include "circuit/rules.h"

/// Votes, match, activemask and redux (PTX ISA 9.7.13.15 to 9.7.13.19). The machine's operations
/// are over the executing lanes; a member mask that is not all of them is applied afterwards.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::MatchMode;
using ptx::Opcode;
using ptx::ReduxOp;
using ptx::VoteMode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool is_everyone(Value mask) {
  return mask.is_constant() && (mask.value & 15) == 15;
}

Value ballot(Emitter& e, Value predicate, Value mask) {
  const Value lanes = e.define(MachineOp::kBallot, k(0), k(0), {}, predicate);
  return is_everyone(mask) ? lanes : e.and_(lanes, mask);
}

Value any(Emitter& e, Value p, Value mask) {
  if (is_everyone(mask)) return e.define(MachineOp::kVoteAny, k(0), k(0), {}, p);
  return e.flip(e.eq(ballot(e, p, mask), k(0)));
}
Value all(Emitter& e, Value p, Value mask) {
  if (is_everyone(mask)) return e.define(MachineOp::kVoteAll, k(0), k(0), {}, p);
  return e.eq(ballot(e, e.flip(p), mask), k(0));
}

void vote(Emitter& e) {
  const Value p = e.predicate(0);
  const Value mask = e.modifiers().sync ? e.in(1, ptx::Type::kU32) : k(15);
  switch (e.modifiers().vote) {
    case VoteMode::kBallot:
      e.out(0, ballot(e, p, mask));
      return;
    case VoteMode::kAny:
      e.out(0, any(e, p, mask));
      return;
    case VoteMode::kAll:
      e.out(0, all(e, p, mask));
      return;
    default:
      e.out(0, e.or_(all(e, p, mask), e.flip(any(e, p, mask))));
      return;
  }
}

void match(Emitter& e) {
  const Value mask = e.in(1, ptx::Type::kU32);
  Value same;
  if (ptx::bits(e.type()) == 64) {
    const Wide a = e.wide(0);
    same =
        e.and_(e.define(MachineOp::kMatch, a.low, k(0)), e.define(MachineOp::kMatch, a.high, k(0)));
  } else {
    same = e.define(MachineOp::kMatch, e.in(0), k(0));
  }
  if (!is_everyone(mask)) same = e.and_(same, mask);
  if (e.modifiers().match == MatchMode::kAny) {
    e.out(0, same);
    return;
  }
  const Value agreed = e.eq(same, ballot(e, k(1), mask));
  if (e.has_destination(1)) e.out(1, agreed);
  if (e.has_destination(0)) e.out(0, e.mul(same, agreed));
}

Value combined(Emitter& e, Value x, Value y) {
  switch (e.modifiers().redux) {
    case ReduxOp::kAdd:
      return e.add(x, y);
    case ReduxOp::kMin:
      return e.is_signed() ? e.min_s(x, y) : e.min_u(x, y);
    case ReduxOp::kMax:
      return e.is_signed() ? e.max_s(x, y) : e.max_u(x, y);
    case ReduxOp::kAnd:
      return e.and_(x, y);
    case ReduxOp::kOr:
      return e.or_(x, y);
    default:
      return e.xor_(x, y);
  }
}

uint32_t neutral(Emitter& e) {
  switch (e.modifiers().redux) {
    case ReduxOp::kMin:
      return e.is_signed() ? 0x7fffffff : 0xffffffff;
    case ReduxOp::kMax:
      return e.is_signed() ? 0x80000000 : 0;
    case ReduxOp::kAnd:
      return 0xffffffff;
    default:
      return 0;
  }
}

/// With all lanes there, two exchanges; else lane by lane, with the neutral value for lanes that do
/// not take part: their registers may hold anything.
void reduce(Emitter& e) {
  const Value a = e.in(0), mask = e.in(1, ptx::Type::kU32);
  if (is_everyone(mask) && e.lanes_together()) {
    const Value pairs = combined(e, a, e.define(MachineOp::kShflXor, a, k(1)));
    e.out(0, combined(e, pairs, e.define(MachineOp::kShflXor, pairs, k(2))));
    return;
  }
  const Value present = ballot(e, k(1), mask);
  Value sum;
  for (uint32_t lane = 0; lane < 4; ++lane) {
    const Value value = e.define(MachineOp::kShflIdx, a, k(lane));
    const Value takes_part = e.and_(e.shr_u(present, k(lane)), k(1));
    const Value term = e.sel(takes_part, value, k(neutral(e)));
    sum = lane == 0 ? term : combined(e, sum, term);
  }
  e.out(0, sum);
}

constexpr Rule kRules[] = {
    {"vote", Opcode::kVote, nullptr, vote, true},
    {"match", Opcode::kMatch, nullptr, match, true},
    {"activemask", Opcode::kActivemask, nullptr,
     [](Emitter& e) { e.out(0, ballot(e, k(1), k(15))); }, true},
    {"redux", Opcode::kRedux, nullptr, reduce, true},
};

}  // namespace

std::span<const Rule> vote_match_rules() {
  return kRules;
}

}  // namespace warplock::circuit
