#include "circuit/rules.h"

/// Integer arithmetic (PTX ISA 9.7.1): add, sub, mul.lo, mad.lo, sad, abs, neg, min, max, mul24.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;

bool is_wide(const Instruction& i) {
  return ptx::bits(i.type()) == 64;
}
bool saturates(const Instruction& i) {
  return i.modifiers.saturate;
}
bool is_low(const Instruction& i) {
  return i.modifiers.half == ptx::Half::kLo;
}
bool is_low_wide(const Instruction& i) {
  return is_low(i) && is_wide(i);
}
bool low_half_without_carry(const Instruction& i) {
  return is_low(i) && !is_wide(i) && !i.modifiers.carry_out;
}
bool no_carry(const Instruction& i) {
  return !i.modifiers.carry_out;
}
bool wide_no_carry(const Instruction& i) {
  return is_wide(i) && no_carry(i);
}

Value k(uint32_t word) {
  return Emitter::constant(word);
}

/// On overflow the sum has the wrong sign; the right limit is the sign of a, spread, exclusive-or
/// with the greatest value.
void add_saturated(Emitter& e) {
  const Value a = e.in(0), b = e.in(1), sum = e.add(a, b);
  const Value overflow = e.and_(e.xor_(sum, a), e.xor_(sum, b));
  const Value limit = e.xor_(e.shr_s(a, k(31)), k(0x7fffffff));
  e.out(0, e.sel(e.lt_s(overflow, k(0)), limit, sum));
}
void sub_saturated(Emitter& e) {
  const Value a = e.in(0), b = e.in(1), difference = e.sub(a, b);
  const Value overflow = e.and_(e.xor_(a, b), e.xor_(difference, a));
  const Value limit = e.xor_(e.shr_s(a, k(31)), k(0x7fffffff));
  e.out(0, e.sel(e.lt_s(overflow, k(0)), limit, difference));
}

Value minimum(Emitter& e, Value a, Value b) {
  return e.is_signed() ? e.min_s(a, b) : e.min_u(a, b);
}
Value maximum(Emitter& e, Value a, Value b) {
  return e.is_signed() ? e.max_s(a, b) : e.max_u(a, b);
}

void min_max_wide(Emitter& e) {
  const Wide a = e.wide(0), b = e.wide(1);
  const Value less = less_wide(e, a, b, e.is_signed());
  const bool least = e.ptx().opcode == Opcode::kMin;
  e.out(0, select_wide(e, less, least ? a : b, least ? b : a));
}

/// The low 24 bits of source n, extended as the type says.
Value low24(Emitter& e, size_t n) {
  const Value word = e.in(n);
  return e.is_signed() ? e.sign_extend(word, 24) : e.zero_extend(word, 24);
}
/// Bits 0 to 31, or 16 to 47, of the product of two 24-bit numbers.
Value product24(Emitter& e) {
  const Value a = low24(e, 0), b = low24(e, 1);
  const Value low = e.mul(a, b);
  if (is_low(e.ptx())) return low;
  const Value high = high_product(e, a, b, e.is_signed());
  return e.or_(e.shr_u(low, k(16)), e.shl(high, k(16)));
}
void mad24(Emitter& e) {
  const Value product = product24(e), c = e.in(2), sum = e.add(product, c);
  if (!e.modifiers().saturate) {
    e.out(0, sum);
    return;
  }
  const Value overflow = e.and_(e.xor_(sum, product), e.xor_(sum, c));
  const Value limit = e.xor_(e.shr_s(c, k(31)), k(0x7fffffff));
  e.out(0, e.sel(e.lt_s(overflow, k(0)), limit, sum));
}

/// Four (or two) products of parts of a and b, added to c.
void dot_product(Emitter& e) {
  const bool bytes = e.ptx().opcode == Opcode::kDp4a;
  const bool a_signed = ptx::is_signed(e.ptx().types[0]),
             b_signed = ptx::is_signed(e.ptx().types[1]);
  const Value a = e.in(0, ptx::Type::kU32), b = e.in(1, ptx::Type::kU32);
  const auto part = [&e](Value word, uint32_t low, uint32_t bits, bool is_signed) {
    if (is_signed) return e.shr_s(e.shl(word, k(32 - low - bits)), k(32 - bits));
    return e.zero_extend(e.shr_u(word, k(low)), bits);
  };
  const uint32_t b_from = !bytes && e.modifiers().half == ptx::Half::kHi ? 16 : 0;
  Value sum = e.in(2, ptx::Type::kU32);
  for (uint32_t i = 0; i < (bytes ? 4u : 2u); ++i) {
    const Value x = bytes ? part(a, 8 * i, 8, a_signed) : part(a, 16 * i, 16, a_signed);
    sum = e.mad(x, part(b, b_from + 8 * i, 8, b_signed), sum);
  }
  e.out(0, sum);
}

constexpr Rule kRules[] = {
    {"add.64", Opcode::kAdd, wide_no_carry,
     [](Emitter& e) { e.out(0, add_wide(e, e.wide(0), e.wide(1))); }},
    {"add.sat", Opcode::kAdd, saturates, add_saturated},
    {"add", Opcode::kAdd, no_carry, [](Emitter& e) { e.out(0, e.add(e.in(0), e.in(1))); }},
    {"sub.64", Opcode::kSub, wide_no_carry,
     [](Emitter& e) { e.out(0, sub_wide(e, e.wide(0), e.wide(1))); }},
    {"sub.sat", Opcode::kSub, saturates, sub_saturated},
    {"sub", Opcode::kSub, no_carry, [](Emitter& e) { e.out(0, e.sub(e.in(0), e.in(1))); }},
    {"mul.lo.64", Opcode::kMul, is_low_wide,
     [](Emitter& e) { e.out(0, multiply_wide(e, e.wide(0), e.wide(1))); }},
    {"mul.lo", Opcode::kMul, is_low, [](Emitter& e) { e.out(0, e.mul(e.in(0), e.in(1))); }},
    {"mad.lo.64", Opcode::kMad, [](const Instruction& i) { return is_low_wide(i) && no_carry(i); },
     [](Emitter& e) { e.out(0, add_wide(e, multiply_wide(e, e.wide(0), e.wide(1)), e.wide(2))); }},
    {"mad.lo", Opcode::kMad, low_half_without_carry,
     [](Emitter& e) { e.out(0, e.mad(e.in(0), e.in(1), e.in(2))); }},
    {"mul24", Opcode::kMul24, nullptr, [](Emitter& e) { e.out(0, product24(e)); }},
    {"mad24", Opcode::kMad24, nullptr, mad24},
    {"sad", Opcode::kSad, [](const Instruction& i) { return !is_wide(i); },
     [](Emitter& e) {
       const Value a = e.in(0), b = e.in(1);
       e.out(0, e.add(e.sub(maximum(e, a, b), minimum(e, a, b)), e.in(2)));
     }},
    {"sad.64", Opcode::kSad, nullptr,
     [](Emitter& e) {
       const Wide a = e.wide(0), b = e.wide(1);
       const Value less = less_wide(e, a, b, e.is_signed());
       const Wide distance = sub_wide(e, select_wide(e, less, b, a), select_wide(e, less, a, b));
       e.out(0, add_wide(e, distance, e.wide(2)));
     }},
    {"abs.64", Opcode::kAbs, is_wide,
     [](Emitter& e) {
       const Wide a = e.wide(0);
       const Value sign = e.shr_s(a.high, k(31));
       e.out(0, sub_wide(e, {e.xor_(a.low, sign), e.xor_(a.high, sign)}, {sign, sign}));
     }},
    {"abs", Opcode::kAbs, nullptr,
     [](Emitter& e) {
       const Value a = e.in(0);
       e.out(0, e.max_s(a, e.negate(a)));
     }},
    {"neg.64", Opcode::kNeg, is_wide,
     [](Emitter& e) {
       e.out(0, sub_wide(e, {k(0), k(0)}, e.wide(0)));
     }},
    {"neg", Opcode::kNeg, nullptr, [](Emitter& e) { e.out(0, e.negate(e.in(0))); }},
    {"min.64", Opcode::kMin, is_wide, min_max_wide},
    {"min", Opcode::kMin, nullptr, [](Emitter& e) { e.out(0, minimum(e, e.in(0), e.in(1))); }},
    {"max.64", Opcode::kMax, is_wide, min_max_wide},
    {"max", Opcode::kMax, nullptr, [](Emitter& e) { e.out(0, maximum(e, e.in(0), e.in(1))); }},
    {"dp4a", Opcode::kDp4a, nullptr, dot_product},
    {"dp2a", Opcode::kDp2a, nullptr, dot_product},
};

}  // namespace

std::span<const Rule> arithmetic_rules() {
  return kRules;
}

Wide add_wide(Emitter& e, Wide a, Wide b) {
  const Value low = e.add(a.low, b.low);
  const Value carry = e.lt_u(low, a.low);
  return {low, e.add(e.add(a.high, b.high), carry)};
}

Wide sub_wide(Emitter& e, Wide a, Wide b) {
  const Value borrow = e.lt_u(a.low, b.low);
  return {e.sub(a.low, b.low), e.sub(e.sub(a.high, b.high), borrow)};
}

Wide multiply_wide(Emitter& e, Wide a, Wide b) {
  const Value low = e.mul(a.low, b.low);
  const Value high = high_product(e, a.low, b.low, false);
  return {low, e.mad(a.low, b.high, e.mad(a.high, b.low, high))};
}

Value less_wide(Emitter& e, Wide a, Wide b, bool is_signed) {
  const Value less_high = is_signed ? e.lt_s(a.high, b.high) : e.lt_u(a.high, b.high);
  return e.sel(e.eq(a.high, b.high), e.lt_u(a.low, b.low), less_high);
}

Value equal_wide(Emitter& e, Wide a, Wide b) {
  return e.eq(e.or_(e.xor_(a.low, b.low), e.xor_(a.high, b.high)), k(0));
}

Wide select_wide(Emitter& e, Value p, Wide a, Wide b) {
  return {e.sel(p, a.low, b.low), e.sel(p, a.high, b.high)};
}

Wide extend(Emitter& e, Value low, bool is_signed) {
  return {low, is_signed ? e.shr_s(low, k(31)) : k(0)};
}

}  // namespace warplock::circuit
