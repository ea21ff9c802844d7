#include "circuit/rules.h"

/// Counting and searching bits (PTX ISA 9.7.1.13 to 9.7.1.16): popc, clz, bfind, brev.
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

Value leading_zeros_wide(Emitter& e, Wide a) {
  const Value in_low = e.eq(a.high, k(0));
  return e.add(leading_zeros(e, e.sel(in_low, a.low, a.high)), e.shl(in_low, k(5)));
}

/// The highest bit that is not a copy of the sign: 31 - clz of the word whose sign has been taken
/// out; clz is 32 where there is none, which gives -1.
void find(Emitter& e) {
  const Value a = e.in(0);
  const Value bits = e.is_signed() ? e.xor_(a, e.shr_s(a, k(31))) : a;
  const Value zeros = leading_zeros(e, bits);
  if (!e.modifiers().shift_amount) {
    e.out(0, e.sub(k(31), zeros));
    return;
  }
  e.out(0, e.sel(e.eq(zeros, k(32)), k(0xffffffff), zeros));
}

void find_wide(Emitter& e) {
  Wide a = e.wide(0);
  if (e.is_signed()) {
    const Value sign = e.shr_s(a.high, k(31));
    a = {e.xor_(a.low, sign), e.xor_(a.high, sign)};
  }
  const Value zeros = leading_zeros_wide(e, a);
  if (!e.modifiers().shift_amount) {
    e.out(0, e.sub(k(63), zeros));
    return;
  }
  e.out(0, e.sel(e.eq(zeros, k(64)), k(0xffffffff), zeros));
}

/// Swaps neighbours, pairs, nibbles, bytes and halves.
Value reversed(Emitter& e, Value word) {
  const struct {
    uint32_t shift, mask;
  } steps[] = {
      {1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}, {16, 0x0000ffff}};
  for (const auto& step : steps) {
    const Value down = e.and_(e.shr_u(word, k(step.shift)), k(step.mask));
    const Value up = step.shift == 16 ? word : e.and_(word, k(step.mask));
    word = e.mad(up, k(1u << step.shift), step.shift == 16 ? e.shr_u(word, k(16)) : down);
  }
  return word;
}

constexpr Rule kRules[] = {
    {"popc.64", Opcode::kPopc, is_wide,
     [](Emitter& e) {
       const Wide a = e.wide(0);
       e.out(0, e.add(population_count(e, a.low), population_count(e, a.high)));
     }},
    {"popc", Opcode::kPopc, nullptr, [](Emitter& e) { e.out(0, population_count(e, e.in(0))); }},
    {"clz.64", Opcode::kClz, is_wide,
     [](Emitter& e) { e.out(0, leading_zeros_wide(e, e.wide(0))); }},
    {"clz", Opcode::kClz, nullptr, [](Emitter& e) { e.out(0, leading_zeros(e, e.in(0))); }},
    {"bfind.64", Opcode::kBfind, is_wide, find_wide},
    {"bfind", Opcode::kBfind, nullptr, find},
    {"brev.64", Opcode::kBrev, is_wide,
     [](Emitter& e) {
       const Wide a = e.wide(0);
       e.out(0, Wide{reversed(e, a.high), reversed(e, a.low)});
     }},
    {"brev", Opcode::kBrev, nullptr, [](Emitter& e) { e.out(0, reversed(e, e.in(0))); }},
};

}  // namespace

std::span<const Rule> bit_count_rules() {
  return kRules;
}

/// Counts of pairs, nibbles and bytes, then the sum of the bytes in the top byte of a product.
Value population_count(Emitter& e, Value word) {
  const Value pairs = e.sub(word, e.and_(e.shr_u(word, k(1)), k(0x55555555)));
  const Value nibbles =
      e.add(e.and_(pairs, k(0x33333333)), e.and_(e.shr_u(pairs, k(2)), k(0x33333333)));
  const Value bytes = e.and_(e.add(nibbles, e.shr_u(nibbles, k(4))), k(0x0f0f0f0f));
  return e.shr_u(e.mul(bytes, k(0x01010101)), k(24));
}

/// Halves the part that can hold the highest one: 16, 8, 4, 2, 1 places.
Value leading_zeros(Emitter& e, Value word) {
  Value count = k(0);
  for (uint32_t step = 16; step != 0; step /= 2) {
    const Value small = e.lt_u(word, k(1u << (32 - step)));
    word = e.sel(small, e.shl(word, k(step)), word);
    count = e.mad(small, k(step), count);
  }
  return e.add(count, e.eq(word, k(0)));
}

}  // namespace warplock::circuit
