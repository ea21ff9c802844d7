#include "circuit/rules.h"

/// Bit fields (PTX ISA 9.7.1.17 to 9.7.1.20): bfe, bfi, szext, bmsk.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}
bool is_word(const Instruction& i) {
  return ptx::bits(i.type()) == 32;
}
bool clamps(const Instruction& i) {
  return i.modifiers.overflow == ptx::Overflow::kClamp;
}

/// Positions and lengths count modulo 256.
Value byte_in(Emitter& e, size_t n) {
  return e.and_(e.in(n, ptx::Type::kU32), k(255));
}

void extract_unsigned(Emitter& e) {
  const Value field = e.shr_u(e.in(0), byte_in(e, 1));
  e.out(0, e.and_(field, low_ones(e, byte_in(e, 2))));
}

/// An arithmetic shift by p clamps at the sign; the field's own sign comes from shifting its top
/// to bit 31. With length 0 the result is 0.
void extract_signed(Emitter& e) {
  const Value field = e.shr_s(e.in(0), byte_in(e, 1));
  const Value length = byte_in(e, 2);
  const Value unused = e.sub(k(32), e.min_u(length, k(32)));
  e.out(0, e.shr_s(e.shl(field, unused), unused));
}

void insert(Emitter& e) {
  const Value a = e.in(0), b = e.in(1), position = byte_in(e, 2);
  const Value mask = e.shl(low_ones(e, byte_in(e, 3)), position);
  const Value changed = e.and_(e.xor_(e.shl(a, position), b), mask);
  e.out(0, e.xor_(b, changed));
}

/// n = 0 gives 0, since a shift by 32 leaves nothing of an unsigned word; a signed one is shifted
/// left by 32 first.
void extend_low(Emitter& e) {
  const Value a = e.in(0), amount = e.in(1, ptx::Type::kU32);
  const Value n = clamps(e.ptx()) ? e.min_u(amount, k(32)) : e.and_(amount, k(31));
  const Value unused = e.sub(k(32), n);
  const Value top = e.shl(a, unused);
  e.out(0, e.is_signed() ? e.shr_s(top, unused) : e.shr_u(top, unused));
}

void make_mask(Emitter& e) {
  const Value a = e.in(0), b = e.in(1, ptx::Type::kU32);
  const bool clamp = clamps(e.ptx());
  const Value ones = low_ones(e, clamp ? e.min_u(b, k(32)) : e.and_(b, k(31)));
  e.out(0, e.shl(ones, clamp ? a : e.and_(a, k(31))));
}

constexpr Rule kRules[] = {
    {"bfe.s32", Opcode::kBfe,
     [](const Instruction& i) { return is_word(i) && ptx::is_signed(i.type()); }, extract_signed},
    {"bfe.u32", Opcode::kBfe, is_word, extract_unsigned},
    {"bfi", Opcode::kBfi, is_word, insert},
    {"szext", Opcode::kSzext, nullptr, extend_low},
    {"bmsk", Opcode::kBmsk, nullptr, make_mask},
};

}  // namespace

std::span<const Rule> bit_field_rules() {
  return kRules;
}

/// All ones without those from `count` on; a shift by 32 or more leaves none of these.
Value low_ones(Emitter& e, Value count) {
  return e.not_(e.shl(k(0xffffffff), count));
}

}  // namespace warplock::circuit
