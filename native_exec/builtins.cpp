#include "native_exec/builtins.h"

namespace {

/// Byte `index` of the eight in {b, a} (a holds bytes 0 to 3).
uint32_t byte_of(uint32_t a, uint32_t b, uint32_t index) {
  return ((index < 4 ? a : b) >> (8 * (index & 3))) & 0xff;
}

/// PTX ISA 9.7.1.23 and 9.7.1.24: d = c + the sum of products of halves or bytes of a with bytes of
/// b.
template <class A, class B>
uint32_t dot(uint32_t a, uint32_t b, uint32_t c, int products, int first_byte) {
  for (int i = 0; i < products; ++i) {
    const A x = static_cast<A>(a >> (8 * sizeof(A) * static_cast<unsigned>(i)));
    const B y = static_cast<B>(b >> (8 * static_cast<unsigned>(first_byte + i)));
    c += static_cast<uint32_t>(x) * static_cast<uint32_t>(y);
  }
  return c;
}

/// The product of 64-bit numbers is put together from products of their halves.
uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
  const uint64_t other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

}  // namespace

extern "C" {

// PTX ISA 9.7.9.7, default mode: a selector nibble picks a byte, or with bit 3 its sign eight
// times.
uint32_t warplock_prmt(uint32_t a, uint32_t b, uint32_t selector) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t nibble = (selector >> (4 * i)) & 0xf;
    uint32_t byte = byte_of(a, b, nibble & 7);
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t warplock_sad_s(int32_t a, int32_t b, uint32_t c) {
  const int64_t difference = int64_t{a} - b;
  return c + static_cast<uint32_t>(difference < 0 ? -difference : difference);
}
uint32_t warplock_sad_u(uint32_t a, uint32_t b, uint32_t c) {
  return c + (a < b ? b - a : a - b);
}

int32_t warplock_mulhi_s32(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b) >> 32);
}
uint32_t warplock_mulhi_u32(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t{a} * b) >> 32);
}
uint64_t warplock_mulhi_u64(uint64_t a, uint64_t b) {
  return high_product(a, b);
}
int64_t warplock_mulhi_s64(int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return static_cast<int64_t>(high_product(x, y) - (a < 0 ? y : 0) - (b < 0 ? x : 0));
}

// PTX ISA 9.7.1.5, .lo: the low 32 bits of the 48-bit product of the low 24 bits.
int32_t warplock_mul24_s(int32_t a, int32_t b) {
  const int64_t x = int64_t{a} << 40 >> 40, y = int64_t{b} << 40 >> 40;
  return static_cast<int32_t>(static_cast<uint64_t>(x * y));
}
uint32_t warplock_mul24_u(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>(uint64_t{a & 0xffffff} * (b & 0xffffff));
}

// PTX ISA 9.7.1.17: the position of the offset-th set bit, counted from bit `base` upwards, or
// downwards when negative; 0 asks whether bit `base` itself is set.
uint32_t warplock_fns(uint32_t mask, uint32_t base, int32_t offset) {
  constexpr uint32_t kNone = 0xffffffff;
  if (base > 31) return kNone;
  const auto set = [mask](int64_t bit) { return ((mask >> bit) & 1) != 0; };
  if (offset == 0) return set(base) ? base : kNone;
  const int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? int64_t{offset} : -int64_t{offset};
  for (int64_t bit = base; bit >= 0 && bit < 32; bit += step) {
    if (set(bit) && --left == 0) return static_cast<uint32_t>(bit);
  }
  return kNone;
}

uint32_t warplock_dp4a_s(uint32_t a, uint32_t b, uint32_t c) {
  return dot<int8_t, int8_t>(a, b, c, 4, 0);
}
uint32_t warplock_dp4a_u(uint32_t a, uint32_t b, uint32_t c) {
  return dot<uint8_t, uint8_t>(a, b, c, 4, 0);
}
uint32_t warplock_dp2a_lo_s(uint32_t a, uint32_t b, uint32_t c) {
  return dot<int16_t, int8_t>(a, b, c, 2, 0);
}
uint32_t warplock_dp2a_lo_u(uint32_t a, uint32_t b, uint32_t c) {
  return dot<uint16_t, uint8_t>(a, b, c, 2, 0);
}
uint32_t warplock_dp2a_hi_s(uint32_t a, uint32_t b, uint32_t c) {
  return dot<int16_t, int8_t>(a, b, c, 2, 2);
}
uint32_t warplock_dp2a_hi_u(uint32_t a, uint32_t b, uint32_t c) {
  return dot<uint16_t, uint8_t>(a, b, c, 2, 2);
}

}  // extern "C"
