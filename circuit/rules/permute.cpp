#include "circuit/rules.h"

/// Byte permutation (PTX ISA 9.7.9.7): prmt.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::PrmtMode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool constant_selector(const Instruction& i) {
  return i.modifiers.prmt == PrmtMode::kNone && i.sources[2].kind == ptx::Operand::Kind::kImmediate;
}

/// Byte 0 to 7 of {b, a}, in bits 0 to 7; with `sign`, eight copies of its top bit.
Value byte_of(Emitter& e, Value a, Value b, uint32_t selector) {
  const Value from = (selector & 4) != 0 ? b : a;
  const uint32_t shift = 8 * (selector & 3);
  if ((selector & 8) != 0) {
    return e.and_(e.shr_s(e.shl(from, k(24 - shift)), k(31)), k(255));
  }
  return e.and_(e.shr_u(from, k(shift)), k(255));
}

/// Bytes that come from one source by one rotation are taken together.
void by_constant(Emitter& e) {
  const Value a = e.in(0), b = e.in(1);
  const uint32_t selector = e.in(2).value;
  Value result = k(0);
  uint32_t done = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    if ((done >> i & 1) != 0) continue;
    const uint32_t byte = selector >> (4 * i) & 15;
    if ((byte & 8) != 0) {
      result = e.or_(result, e.shl(byte_of(e, a, b, byte), k(8 * i)));
      continue;
    }
    // All bytes j of the same source whose distance from their place is the same.
    uint32_t mask = 0;
    for (uint32_t j = i; j < 4; ++j) {
      const uint32_t other = selector >> (4 * j) & 15;
      if ((other & 12) == (byte & 12) && (other & 3) + i == (byte & 3) + j) {
        mask |= 255u << (8 * j);
        done |= 1u << j;
      }
    }
    const Value from = (byte & 4) != 0 ? b : a;
    const uint32_t at = byte & 3;
    const Value moved = at >= i ? e.shr_u(from, k(8 * (at - i))) : e.shl(from, k(8 * (i - at)));
    const uint32_t reachable =
        at >= i ? 0xffffffffu >> (8 * (at - i)) : 0xffffffffu << (8 * (i - at));
    result = e.or_(result, (reachable & ~mask) == 0 ? moved : e.and_(moved, k(mask)));
  }
  e.out(0, result);
}

/// Any selector: each nibble chooses a word by bit 2, a byte by bits 0 and 1, a sign by bit 3.
Value by_nibbles(Emitter& e, Value a, Value b, Value c) {
  Value result = k(0);
  for (uint32_t i = 0; i < 4; ++i) {
    const Value nibble = e.shr_u(c, k(4 * i));
    const Value second = e.and_(e.shr_u(nibble, k(2)), k(1));
    const Value from = e.sel(second, b, a);
    const Value byte = e.and_(e.shr_u(from, e.shl(e.and_(nibble, k(3)), k(3))), k(255));
    const Value signs = e.mul(e.shr_u(byte, k(7)), k(255));
    const Value replicate = e.and_(e.shr_u(nibble, k(3)), k(1));
    result = e.or_(result, e.shl(e.sel(replicate, signs, byte), k(8 * i)));
  }
  return result;
}

void by_register(Emitter& e) {
  e.out(0, by_nibbles(e, e.in(0), e.in(1), e.in(2, ptx::Type::kU32)));
}

/// The special modes: the selector of the plain mode that each of the four values of c stands for.
uint32_t selector_of(PrmtMode mode, uint32_t n) {
  switch (mode) {
    case PrmtMode::kF4e:
      return (n + 3) << 12 | (n + 2) << 8 | (n + 1) << 4 | n;
    case PrmtMode::kB4e:
      return ((n + 5) & 7) << 12 | ((n + 6) & 7) << 8 | ((n + 7) & 7) << 4 | n;
    case PrmtMode::kRc8:
      return n * 0x1111;
    case PrmtMode::kEcl:
      return 3u << 12 | (n > 2 ? n : 2) << 8 | (n > 1 ? n : 1) << 4 | n;
    case PrmtMode::kEcr:
      return (n < 3 ? n : 3) << 12 | (n < 2 ? n : 2) << 8 | (n < 1 ? n : 1) << 4;
    default:
      return ((n & 1) * 2 + 1) << 12 | ((n & 1) * 2) << 8 | ((n & 1) * 2 + 1) << 4 | (n & 1) * 2;
  }
}

void by_mode(Emitter& e) {
  const PrmtMode mode = e.modifiers().prmt;
  const Value a = e.in(0), b = e.in(1), n = e.and_(e.in(2, ptx::Type::kU32), k(3));
  const Value bits = e.shl(n, k(3));
  switch (mode) {
    case PrmtMode::kF4e:
      e.out(0, shift_right_wide(e, {a, b}, bits, false).low);
      return;
    case PrmtMode::kRc8:
      e.out(0, e.mul(e.and_(e.shr_u(a, bits), k(255)), k(0x01010101)));
      return;
    case PrmtMode::kRc16:
      e.out(0, e.mul(e.and_(e.shr_u(a, e.shl(e.and_(n, k(1)), k(4))), k(0xffff)), k(0x00010001)));
      return;
    default:
      break;
  }
  // The two words of selectors for n = 0, 1 and 2, 3.
  const uint32_t low = selector_of(mode, 1) << 16 | selector_of(mode, 0);
  const uint32_t high = selector_of(mode, 3) << 16 | selector_of(mode, 2);
  const Value pair = e.sel(e.lt_u(n, k(2)), e.in_register(k(low)), k(high));
  const Value selector = e.shr_u(pair, e.shl(e.and_(n, k(1)), k(4)));
  e.out(0, by_nibbles(e, a, b, selector));
}

constexpr Rule kRules[] = {
    {"prmt.constant", Opcode::kPrmt, constant_selector, by_constant},
    {"prmt", Opcode::kPrmt,
     [](const Instruction& i) { return i.modifiers.prmt == PrmtMode::kNone; }, by_register},
    {"prmt.mode", Opcode::kPrmt, nullptr, by_mode},
};

}  // namespace

std::span<const Rule> permute_rules() {
  return kRules;
}

}  // namespace warplock::circuit
