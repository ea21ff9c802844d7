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

Value replicated(Emitter& e, Value byte) {
  return e.mul(byte, k(0x01010101));
}

Value bytes_reversed(Emitter& e, Value word) {
  const Value odd = e.and_(e.shr_u(word, k(8)), k(0x00ff00ff));
  const Value swapped = e.mad(e.and_(word, k(0x00ff00ff)), k(0x100), odd);
  return e.mad(swapped, k(0x10000), e.shr_u(swapped, k(16)));
}

/// The special modes, with n = c mod 4: f4e takes bytes n to n+3 of {b, a}; b4e bytes n down to
/// n-3, which are those of f4e from n-3 on in reverse; rc8 and rc16 repeat a byte or a half; ecl
/// repeats byte n in all bytes below it, ecr in all above it.
void by_mode(Emitter& e) {
  const PrmtMode mode = e.modifiers().prmt;
  const Value a = e.in(0), b = e.in(1), n = e.and_(e.in(2, ptx::Type::kU32), k(3));
  const Value bits = e.shl(n, k(3));
  if (mode == PrmtMode::kF4e) {
    e.out(0, e.or_(e.shr_u(a, bits), e.shl(b, e.sub(k(32), bits))));
    return;
  }
  if (mode == PrmtMode::kB4e) {
    const Value upwards = e.or_(e.shl(a, e.sub(k(24), bits)), e.shr_u(b, e.add(bits, k(8))));
    e.out(0, bytes_reversed(e, upwards));
    return;
  }
  if (mode == PrmtMode::kRc16) {
    const Value half = e.and_(e.shr_u(a, e.shl(e.and_(n, k(1)), k(4))), k(0xffff));
    e.out(0, e.mul(half, k(0x00010001)));
    return;
  }
  const Value repeated = replicated(e, e.and_(e.shr_u(a, bits), k(255)));
  if (mode == PrmtMode::kRc8) {
    e.out(0, repeated);
    return;
  }
  const bool from_left = mode == PrmtMode::kEcl;
  const Value above = e.shl(k(0xffffffff), from_left ? bits : e.add(bits, k(8)));
  const Value kept = e.and_(e.xor_(a, repeated), from_left ? above : e.not_(above));
  e.out(0, e.xor_(kept, repeated));
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
