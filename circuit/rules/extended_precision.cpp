#include "circuit/rules.h"

/// Extended-precision arithmetic (PTX ISA 9.7.2): add.cc, addc, sub.cc, subc, mad.cc, madc. The
/// carry flag is a register of 0 or 1; after a subtraction it holds the borrow.
namespace warplock::circuit {

namespace {

using ptx::Half;
using ptx::Instruction;
using ptx::Opcode;

bool is_wide(const Instruction& i) {
  return ptx::bits(i.type()) == 64;
}
bool sets_carry(const Instruction& i) {
  return i.modifiers.carry_out;
}
bool sets_carry_wide(const Instruction& i) {
  return sets_carry(i) && is_wide(i);
}

/// d = a + b (+ the carry), and the carry out.
void add_words(Emitter& e, Value a, Value b, bool carry_in) {
  const Value partial = e.add(a, b);
  Value carry = e.lt_u(partial, a);
  Value sum = partial;
  if (carry_in) {
    sum = e.add(partial, e.carry());
    carry = e.or_(carry, e.lt_u(sum, partial));
  }
  e.out(0, sum);
  if (e.modifiers().carry_out) e.set_carry(carry);
}

void subtract_words(Emitter& e, Value a, Value b, bool borrow_in) {
  const Value partial = e.sub(a, b);
  Value borrow = e.lt_u(a, b);
  Value difference = partial;
  if (borrow_in) {
    difference = e.sub(partial, e.carry());
    borrow = e.or_(borrow, e.lt_u(partial, e.carry()));
  }
  e.out(0, difference);
  if (e.modifiers().carry_out) e.set_carry(borrow);
}

void add_wides(Emitter& e, Wide a, Wide b, bool carry_in) {
  const Value in = carry_in ? e.carry() : Emitter::constant(0);
  const Value low = e.add(e.add(a.low, b.low), in);
  // With a carry in, low may equal a.low after a carry: then b.low is all ones.
  const Value low_carry =
      e.or_(e.lt_u(low, a.low),
            e.and_(e.eq(low, a.low), e.and_(in, e.lt_u(Emitter::constant(0), b.low))));
  const Value partial = e.add(a.high, b.high);
  const Value high = e.add(partial, low_carry);
  const Value carry = e.or_(e.lt_u(partial, a.high), e.lt_u(high, partial));
  e.out(0, Wide{low, high});
  if (e.modifiers().carry_out) e.set_carry(carry);
}

void subtract_wides(Emitter& e, Wide a, Wide b, bool borrow_in) {
  const Value in = borrow_in ? e.carry() : Emitter::constant(0);
  const Value partial_low = e.sub(a.low, b.low);
  const Value low_borrow = e.or_(e.lt_u(a.low, b.low), e.lt_u(partial_low, in));
  const Value partial = e.sub(a.high, b.high);
  const Value borrow = e.or_(e.lt_u(a.high, b.high), e.lt_u(partial, low_borrow));
  e.out(0, Wide{e.sub(partial_low, in), e.sub(partial, low_borrow)});
  if (e.modifiers().carry_out) e.set_carry(borrow);
}

void mad_words(Emitter& e) {
  const Value a = e.in(0), b = e.in(1);
  const bool high = e.modifiers().half == Half::kHi;
  const Value product = high ? high_product(e, a, b, e.is_signed()) : e.mul(a, b);
  add_words(e, product, e.in(2), e.ptx().opcode == Opcode::kMadc);
}

void mad_low_wide(Emitter& e) {
  if (e.modifiers().half == Half::kHi) e.refuse("the high half of a 64-bit product with carry");
  add_wides(e, multiply_wide(e, e.wide(0), e.wide(1)), e.wide(2), e.ptx().opcode == Opcode::kMadc);
}

constexpr Rule kRules[] = {
    {"add.cc.64", Opcode::kAdd, sets_carry_wide,
     [](Emitter& e) { add_wides(e, e.wide(0), e.wide(1), false); }},
    {"add.cc", Opcode::kAdd, sets_carry, [](Emitter& e) { add_words(e, e.in(0), e.in(1), false); }},
    {"addc.64", Opcode::kAddc, is_wide,
     [](Emitter& e) { add_wides(e, e.wide(0), e.wide(1), true); }},
    {"addc", Opcode::kAddc, nullptr, [](Emitter& e) { add_words(e, e.in(0), e.in(1), true); }},
    {"sub.cc.64", Opcode::kSub, sets_carry_wide,
     [](Emitter& e) { subtract_wides(e, e.wide(0), e.wide(1), false); }},
    {"sub.cc", Opcode::kSub, sets_carry,
     [](Emitter& e) { subtract_words(e, e.in(0), e.in(1), false); }},
    {"subc.64", Opcode::kSubc, is_wide,
     [](Emitter& e) { subtract_wides(e, e.wide(0), e.wide(1), true); }},
    {"subc", Opcode::kSubc, nullptr, [](Emitter& e) { subtract_words(e, e.in(0), e.in(1), true); }},
    {"mad.cc.64", Opcode::kMad, sets_carry_wide, mad_low_wide},
    {"mad.cc", Opcode::kMad, sets_carry, mad_words},
    {"madc.64", Opcode::kMadc, is_wide, mad_low_wide},
    {"madc", Opcode::kMadc, nullptr, mad_words},
};

}  // namespace

std::span<const Rule> extended_precision_rules() {
  return kRules;
}

}  // namespace warplock::circuit
