#include "circuit/rules.h"

/// Logic and shifts (PTX ISA 9.7.8): and, or, xor, not, cnot, lop3, shl, shr, shf.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}
bool is_wide(const Instruction& i) {
  return ptx::bits(i.type()) == 64;
}
bool is_predicate(const Instruction& i) {
  return i.type() == ptx::Type::kPred;
}

Value apply(Emitter& e, Value a, Value b) {
  switch (e.ptx().opcode) {
    case Opcode::kAnd:
      return e.and_(a, b);
    case Opcode::kOr:
      return e.or_(a, b);
    default:
      return e.xor_(a, b);
  }
}
void logic(Emitter& e) {
  e.out(0, apply(e, e.in(0), e.in(1)));
}
void logic_wide(Emitter& e) {
  const Wide a = e.wide(0), b = e.wide(1);
  e.out(0, Wide{apply(e, a.low, b.low), apply(e, a.high, b.high)});
}

/// What a function of a, b, c is, from its table (entry 4a + 2b + c), by Shannon expansion over a
/// part of the inputs.
Value table2(Emitter& e, uint32_t table, Value x, Value y) {  // entry 2x + y
  switch (table & 15) {
    case 0x0:
      return k(0);
    case 0x1:
      return e.not_(e.or_(x, y));
    case 0x2:
      return e.and_(e.not_(x), y);
    case 0x3:
      return e.not_(x);
    case 0x4:
      return e.and_(x, e.not_(y));
    case 0x5:
      return e.not_(y);
    case 0x6:
      return e.xor_(x, y);
    case 0x7:
      return e.not_(e.and_(x, y));
    case 0x8:
      return e.and_(x, y);
    case 0x9:
      return e.not_(e.xor_(x, y));
    case 0xa:
      return y;
    case 0xb:
      return e.or_(e.not_(x), y);
    case 0xc:
      return x;
    case 0xd:
      return e.or_(x, e.not_(y));
    case 0xe:
      return e.or_(x, y);
    default:
      return k(0xffffffff);
  }
}

/// f = f0 ^ (a & (f0 ^ f1)), where f0 and f1 are functions of b and c.
void lookup(Emitter& e) {
  const Value a = e.in(0), b = e.in(1), c = e.in(2);
  const uint32_t table = e.in(3).value & 255;
  const uint32_t f0 = table & 15, difference = (table ^ table >> 4) & 15;
  if (difference == 0) {
    e.out(0, table2(e, f0, b, c));
  } else if (difference == 15) {
    e.out(0, e.xor_(table2(e, f0, b, c), a));
  } else {
    e.out(0, e.xor_(table2(e, f0, b, c), e.and_(a, table2(e, difference, b, c))));
  }
}

/// The amount of a 16-bit shift is a word; bits that leave are cut off by `out`, and bits that come
/// in from above are those of the extension.
void shift_left(Emitter& e) {
  e.out(0, e.shl(e.in(0), e.in(1, ptx::Type::kU32)));
}
void shift_right(Emitter& e) {
  const Value amount = e.in(1, ptx::Type::kU32);
  e.out(0, e.is_signed() ? e.shr_s(e.in(0), amount) : e.shr_u(e.in(0), amount));
}

/// {b, a} shifted: with n bits of one word and 32 - n of the other. A shift by 32 gives 0, which
/// makes n = 0 and n = 32 right.
void funnel(Emitter& e) {
  const bool left = e.modifiers().direction == ptx::Direction::kLeft;
  const bool clamp = e.modifiers().overflow == ptx::Overflow::kClamp;
  const Value a = e.in(0), b = e.in(1), c = e.in(2, ptx::Type::kU32);
  const Value n = clamp ? e.min_u(c, k(32)) : e.and_(c, k(31));
  const Value rest = e.sub(k(32), n);
  e.out(0, left ? e.or_(e.shl(b, n), e.shr_u(a, rest)) : e.or_(e.shr_u(a, n), e.shl(b, rest)));
}

constexpr Rule kRules[] = {
    {"and.64", Opcode::kAnd, is_wide, logic_wide},
    {"and", Opcode::kAnd, nullptr, logic},
    {"or.64", Opcode::kOr, is_wide, logic_wide},
    {"or", Opcode::kOr, nullptr, logic},
    {"xor.64", Opcode::kXor, is_wide, logic_wide},
    {"xor", Opcode::kXor, nullptr, logic},
    {"not.64", Opcode::kNot, is_wide,
     [](Emitter& e) {
       const Wide a = e.wide(0);
       e.out(0, Wide{e.not_(a.low), e.not_(a.high)});
     }},
    {"not.pred", Opcode::kNot, is_predicate, [](Emitter& e) { e.out(0, e.flip(e.in(0))); }},
    {"not", Opcode::kNot, nullptr, [](Emitter& e) { e.out(0, e.not_(e.in(0))); }},
    {"cnot.64", Opcode::kCnot, is_wide,
     [](Emitter& e) {
       e.out(0, equal_wide(e, e.wide(0), {k(0), k(0)}));
     }},
    {"cnot", Opcode::kCnot, nullptr, [](Emitter& e) { e.out(0, e.eq(e.in(0), k(0))); }},
    {"lop3", Opcode::kLop3, nullptr, lookup},
    {"shl.64", Opcode::kShl, is_wide,
     [](Emitter& e) { e.out(0, shift_left_wide(e, e.wide(0), e.in(1, ptx::Type::kU32))); }},
    {"shl", Opcode::kShl, nullptr, shift_left},
    {"shr.64", Opcode::kShr, is_wide,
     [](Emitter& e) {
       e.out(0, shift_right_wide(e, e.wide(0), e.in(1, ptx::Type::kU32), e.is_signed()));
     }},
    {"shr", Opcode::kShr, nullptr, shift_right},
    {"shf", Opcode::kShf, nullptr, funnel},
};

}  // namespace

std::span<const Rule> logic_shift_rules() {
  return kRules;
}

/// Words cross by a shift of the other word: by 32 - n within a word, by n - 32 beyond. Amounts
/// below 0 are large unsigned ones, for which machine shifts give 0.
Wide shift_left_wide(Emitter& e, Wide v, Value n) {
  const Value across = e.or_(e.shr_u(v.low, e.sub(k(32), n)), e.shl(v.low, e.sub(n, k(32))));
  return {e.shl(v.low, n), e.or_(e.shl(v.high, n), across)};
}

Wide shift_right_wide(Emitter& e, Wide v, Value n, bool is_signed) {
  const Value beyond = e.sub(n, k(32));
  const Value across = e.shl(v.high, e.sub(k(32), n));
  if (!is_signed) {
    return {e.or_(e.shr_u(v.low, n), e.or_(across, e.shr_u(v.high, beyond))), e.shr_u(v.high, n)};
  }
  // An arithmetic shift by a large amount gives the sign, so the two cases are told apart.
  const Value within = e.or_(e.shr_u(v.low, n), across);
  const Value low = e.sel(e.lt_u(n, k(32)), within, e.shr_s(v.high, beyond));
  return {low, e.shr_s(v.high, n)};
}

}  // namespace warplock::circuit
