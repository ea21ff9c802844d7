#include "circuit/rules.h"

/// Division and remainder (PTX ISA 9.7.1.7 and 9.7.1.8), for which the machine has no operation: a
/// loop of 32 rounds, or shifts where the divisor is a power of two.
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
bool is_unsigned_power(const Instruction& i) {
  const ptx::Operand& divisor = i.sources[1];
  return !is_wide(i) && !ptx::is_signed(i.type()) &&
         divisor.kind == ptx::Operand::Kind::kImmediate && divisor.value != 0 &&
         (divisor.value & (divisor.value - 1)) == 0;
}

void by_power(Emitter& e) {
  const uint32_t divisor = e.in(1).value;
  uint32_t shift = 0;
  while (divisor >> shift != 1) ++shift;
  e.out(0, e.ptx().opcode == Opcode::kDiv ? e.shr_u(e.in(0), k(shift))
                                          : e.and_(e.in(0), k(divisor - 1)));
}

/// word with the sign `mask` (0 or all ones): word, or its negative.
Value with_sign(Emitter& e, Value word, Value mask) {
  return e.sub(e.xor_(word, mask), mask);
}

void divide(Emitter& e) {
  const bool quotient = e.ptx().opcode == Opcode::kDiv;
  const Value n = e.in(0), d = e.in(1);
  if (!e.is_signed()) {
    const Quotient q = divide_words(e, n, d);
    e.out(0, quotient ? q.quotient : q.remainder);
    return;
  }
  // The remainder has the dividend's sign. By zero: -1, as for the unsigned types.
  const Value n_sign = e.shr_s(n, k(31)), d_sign = e.shr_s(d, k(31));
  const Quotient q = divide_words(e, with_sign(e, n, n_sign), with_sign(e, d, d_sign));
  if (!quotient) {
    e.out(0, with_sign(e, q.remainder, n_sign));
    return;
  }
  const Value value = with_sign(e, q.quotient, e.xor_(n_sign, d_sign));
  e.out(0, d.is_constant() && d.value != 0 ? value : e.sel(e.eq(d, k(0)), k(0xffffffff), value));
}

constexpr Rule kRules[] = {
    {"div.power", Opcode::kDiv, is_unsigned_power, by_power},
    {"rem.power", Opcode::kRem, is_unsigned_power, by_power},
    {"div", Opcode::kDiv, [](const Instruction& i) { return !is_wide(i); }, divide, true},
    {"rem", Opcode::kRem, [](const Instruction& i) { return !is_wide(i); }, divide, true},
};

}  // namespace

std::span<const Rule> divide_rules() {
  return kRules;
}

/// From bit 31 down: where n >> i reaches d, d << i is taken off n (it fits then) and bit i of the
/// quotient is one. Bits are collected negated, since the comparison gives them so.
Quotient divide_words(Emitter& e, Value n, Value d) {
  const Value divisor = d.is_constant() ? d : e.in_register(d);
  const Value rest = e.variable(n);
  const Value inverted = e.variable(k(0));
  const Value bit = e.variable(k(31));
  const uint32_t loop = e.new_block(), done = e.new_block();
  e.go(loop);
  e.start(loop);
  const Value less = e.lt_u(e.shr_u(rest, bit), divisor);
  const Value taken = e.sub(rest, e.shl(divisor, bit));
  e.set(rest, e.sel(less, rest, taken));
  e.set(inverted, e.mad(inverted, k(2), less));
  const Value last = e.eq(bit, k(0));
  e.set(bit, e.sub(bit, k(1)));
  e.branch(last, done, loop);
  e.start(done);
  return {e.not_(inverted), rest};
}

}  // namespace warplock::circuit
