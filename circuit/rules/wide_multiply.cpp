#include "circuit/rules.h"

/// Products with a high half (PTX ISA 9.7.1.3 and 9.7.1.4): mul.hi, mul.wide, mad.hi, mad.wide.
namespace warplock::circuit {

namespace {

using ptx::Half;
using ptx::Instruction;
using ptx::Opcode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool no_carry(const Instruction& i) {
  return !i.modifiers.carry_out;
}
bool half_of(const Instruction& i, Half half, uint32_t bits) {
  return no_carry(i) && i.modifiers.half == half && ptx::bits(i.type()) == bits;
}

/// a * b of 16-bit numbers: one word.
Value product16(Emitter& e) {
  return e.mul(e.in(0), e.in(1));
}
Value high16(Emitter& e) {
  const Value product = product16(e);
  return e.is_signed() ? e.shr_s(product, k(16)) : e.shr_u(product, k(16));
}
Wide product32(Emitter& e) {
  const Value a = e.in(0), b = e.in(1);
  return {e.mul(a, b), high_product(e, a, b, e.is_signed())};
}

/// High 64 bits of a 64 by 64 bit product, from four 32-bit ones.
Wide high64(Emitter& e) {
  const Wide a = e.wide(0), b = e.wide(1);
  const Value low_high = high_product(e, a.low, b.low, false);
  const Wide cross1{e.mul(a.high, b.low), high_product(e, a.high, b.low, false)};
  const Wide cross2{e.mul(a.low, b.high), high_product(e, a.low, b.high, false)};
  const Wide top{e.mul(a.high, b.high), high_product(e, a.high, b.high, false)};
  const Wide first = add_wide(e, cross1, {low_high, k(0)});
  const Wide second = add_wide(e, cross2, {first.low, k(0)});
  Wide high = add_wide(e, add_wide(e, top, {first.high, k(0)}), {second.high, k(0)});
  if (e.is_signed()) {
    const Value a_sign = e.shr_s(a.high, k(31)), b_sign = e.shr_s(b.high, k(31));
    high = sub_wide(e, high, {e.and_(b.low, a_sign), e.and_(b.high, a_sign)});
    high = sub_wide(e, high, {e.and_(a.low, b_sign), e.and_(a.high, b_sign)});
  }
  return high;
}

/// mad.hi.sat.s32: the sum is right unless both terms have one sign and the sum the other.
Value add_limited(Emitter& e, Value a, Value b) {
  const Value sum = e.add(a, b);
  if (!e.modifiers().saturate) return sum;
  const Value overflow = e.and_(e.xor_(sum, a), e.xor_(sum, b));
  const Value limit = e.xor_(e.shr_s(a, k(31)), k(0x7fffffff));
  return e.sel(e.lt_s(overflow, k(0)), limit, sum);
}

constexpr Rule kRules[] = {
    {"mul.hi.16", Opcode::kMul, [](const Instruction& i) { return half_of(i, Half::kHi, 16); },
     [](Emitter& e) { e.out(0, high16(e)); }},
    {"mul.hi.32", Opcode::kMul, [](const Instruction& i) { return half_of(i, Half::kHi, 32); },
     [](Emitter& e) { e.out(0, high_product(e, e.in(0), e.in(1), e.is_signed())); }},
    {"mul.hi.64", Opcode::kMul, [](const Instruction& i) { return half_of(i, Half::kHi, 64); },
     [](Emitter& e) { e.out(0, high64(e)); }},
    {"mul.wide.16", Opcode::kMul, [](const Instruction& i) { return half_of(i, Half::kWide, 16); },
     [](Emitter& e) { e.out(0, product16(e)); }},
    {"mul.wide.32", Opcode::kMul, [](const Instruction& i) { return half_of(i, Half::kWide, 32); },
     [](Emitter& e) { e.out(0, product32(e)); }},
    {"mad.hi.16", Opcode::kMad, [](const Instruction& i) { return half_of(i, Half::kHi, 16); },
     [](Emitter& e) { e.out(0, e.add(high16(e), e.in(2))); }},
    {"mad.hi.32", Opcode::kMad, [](const Instruction& i) { return half_of(i, Half::kHi, 32); },
     [](Emitter& e) {
       e.out(0, add_limited(e, high_product(e, e.in(0), e.in(1), e.is_signed()), e.in(2)));
     }},
    {"mad.hi.64", Opcode::kMad, [](const Instruction& i) { return half_of(i, Half::kHi, 64); },
     [](Emitter& e) { e.out(0, add_wide(e, high64(e), e.wide(2))); }},
    {"mad.wide.16", Opcode::kMad, [](const Instruction& i) { return half_of(i, Half::kWide, 16); },
     [](Emitter& e) { e.out(0, e.add(product16(e), e.in(2, ptx::Type::kU32))); }},
    {"mad.wide.32", Opcode::kMad, [](const Instruction& i) { return half_of(i, Half::kWide, 32); },
     [](Emitter& e) { e.out(0, add_wide(e, product32(e), e.wide(2))); }},
};

}  // namespace

std::span<const Rule> wide_multiply_rules() {
  return kRules;
}

/// From 16-bit halves: none of the sums leaves a word, since (2^16-1)^2 + 2 (2^16-1) = 2^32-1.
/// Signed: the unsigned one, less b where a is negative, and less a where b is.
Value high_product(Emitter& e, Value a, Value b, bool is_signed) {
  if (b.is_constant() && !is_signed && b.value != 0 && (b.value & (b.value - 1)) == 0) {
    uint32_t shift = 0;
    while (b.value >> shift != 1) ++shift;
    return e.shr_u(a, k(32 - shift));
  }
  const Value a_low = e.zero_extend(a, 16), a_high = e.shr_u(a, k(16));
  const Value b_low = e.zero_extend(b, 16), b_high = e.shr_u(b, k(16));
  const Value low = e.shr_u(e.mul(a_low, b_low), k(16));
  const Value middle = e.mad(a_high, b_low, low);
  const Value cross = e.mad(a_low, b_high, e.zero_extend(middle, 16));
  const Value carries = e.add(e.shr_u(middle, k(16)), e.shr_u(cross, k(16)));
  Value high = e.mad(a_high, b_high, carries);
  if (is_signed) {
    high = e.sub(high, e.and_(e.shr_s(a, k(31)), b));
    high = e.sub(high, e.and_(e.shr_s(b, k(31)), a));
  }
  return high;
}

}  // namespace warplock::circuit
