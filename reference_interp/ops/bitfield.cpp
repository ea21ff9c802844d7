#include <algorithm>
#include <bit>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Counting, searching and bit fields (PTX ISA 9.7.1.11 to 9.7.1.21).
namespace warplock::reference_interp {
namespace {

struct Popc {
  template <class T>
  static uint32_t apply(T a) {
    return static_cast<uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  static uint32_t apply(T a) {
    return static_cast<uint32_t>(std::countl_zero(a));
  }
};

/// The position of the most significant bit that is not a copy of the sign; 0xffffffff when there
/// is none. With .shiftamt: how far to shift left to bring it to the top.
template <bool kShiftAmount>
struct Bfind {
  template <class T>
  static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t kTop = 8 * sizeof(T) - 1;
    U bits = static_cast<U>(a);
    if (std::is_signed_v<T> && a < T{0}) bits = static_cast<U>(~bits);
    if (bits == 0) return 0xffffffff;
    const uint32_t from_top = static_cast<uint32_t>(std::countl_zero(bits));
    return kShiftAmount ? from_top : kTop - from_top;
  }
};

/// The position of the n-th set bit of `mask`, counted from `base` upwards (offset > 0) or
/// downwards (offset < 0); offset 0 asks whether bit `base` itself is set. 0xffffffff when there is
/// none.
struct Fns {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return 0xffffffff;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffff;
    const int step = offset > 0 ? 1 : -1;
    int64_t left = (offset > 0 ? int64_t{offset} : -int64_t{offset}) - 1;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if ((mask >> at & 1) == 0) continue;
      if (left-- == 0) return static_cast<uint32_t>(at);
    }
    return 0xffffffff;
  }
};

struct Brev {
  template <class T>
  static T apply(T a) {
    T reversed = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) {
      reversed = static_cast<T>(reversed << 1 | (a >> i & 1));
    }
    return reversed;
  }
};

/// A mask of `length` ones at the bottom.
template <class U>
constexpr U low_ones(uint32_t length) {
  return length >= 8 * sizeof(U) ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << length) - 1);
}

/// Extracts `length` bits from `position` on; both count modulo 256. Signed types extend with the
/// last bit of the field that lies inside a; a field past the top reads as that bit (or 0).
struct Bfe {
  template <class T>
  static T apply(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t kTop = 8 * sizeof(T) - 1;
    position &= 0xff;
    length &= 0xff;
    const U bits = static_cast<U>(a);
    bool sign = false;
    if (std::is_signed_v<T> && length != 0) {
      sign = (bits >> std::min(position + length - 1, kTop) & 1) != 0;
    }
    // Bits of the result that come from a.
    const uint32_t inside = position > kTop ? 0 : std::min(length, kTop + 1 - position);
    const U field = inside == 0 ? U{0} : static_cast<U>(bits >> position) & low_ones<U>(inside);
    return static_cast<T>(sign ? field | static_cast<U>(~low_ones<U>(inside)) : field);
  }
};

/// Inserts the low `length` bits of a into b at `position`; what does not fit is dropped.
struct Bfi {
  template <class T>
  static T apply(T a, T b, uint32_t position, uint32_t length) {
    constexpr uint32_t kTop = 8 * sizeof(T) - 1;
    position &= 0xff;
    length &= 0xff;
    if (position > kTop || length == 0) return b;
    const T mask = static_cast<T>(low_ones<T>(length) << position);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
  }
};

/// Extends the low n bits of a: n is b modulo 32 (.wrap) or at most 32 (.clamp); 0 bits give 0.
template <bool kClamp>
struct Szext {
  template <class T>
  static T apply(T a, uint32_t b) {
    if (kClamp && b >= 32) return a;
    const uint32_t n = b & 31;
    if (n == 0) return 0;
    const uint32_t kept = static_cast<uint32_t>(a) & low_ones<uint32_t>(n);
    const bool sign = std::is_signed_v<T> && (kept >> (n - 1) & 1) != 0;
    return static_cast<T>(sign ? kept | ~low_ones<uint32_t>(n) : kept);
  }
};

/// A mask of b ones from bit a on.
template <bool kClamp>
struct Bmsk {
  static uint32_t apply(uint32_t a, uint32_t b) {
    if (kClamp && a >= 32) return 0;
    const uint32_t length = kClamp ? std::min(b, 32u) : b & 31;
    return low_ones<uint32_t>(length) << (a & 31);
  }
};

}  // namespace

template <int W>
Handler<W> bitfield_handler(const ptx::Instruction& in) {
  using ptx::Opcode;
  const bool clamp = in.modifiers.overflow == ptx::Overflow::kClamp;
  const bool is64 = ptx::bits(in.type()) == 64;
  switch (in.opcode) {
    case Opcode::kPopc:
      return is64 ? &elementwise<W, Popc, uint32_t, uint64_t>
                  : &elementwise<W, Popc, uint32_t, uint32_t>;
    case Opcode::kClz:
      return is64 ? &elementwise<W, Clz, uint32_t, uint64_t>
                  : &elementwise<W, Clz, uint32_t, uint32_t>;
    case Opcode::kBfind:
      return for_wide_integer<W>(in.type(), [&](auto t) -> Handler<W> {
        using T = typename decltype(t)::type;
        return in.modifiers.shift_amount ? &elementwise<W, Bfind<true>, uint32_t, T>
                                         : &elementwise<W, Bfind<false>, uint32_t, T>;
      });
    case Opcode::kFns:
      return &elementwise<W, Fns, uint32_t, uint32_t, uint32_t, int32_t>;
    case Opcode::kBrev:
      return is64 ? kUnary<W, Brev, uint64_t> : kUnary<W, Brev, uint32_t>;
    case Opcode::kBfe:
      return for_wide_integer<W>(in.type(), [](auto t) -> Handler<W> {
        using T = typename decltype(t)::type;
        return &elementwise<W, Bfe, T, T, uint32_t, uint32_t>;
      });
    case Opcode::kBfi:
      return is64 ? &elementwise<W, Bfi, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>
                  : &elementwise<W, Bfi, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;
    case Opcode::kSzext:
      return for_integer32<W>(in.type(), [&](auto t) -> Handler<W> {
        using T = typename decltype(t)::type;
        return clamp ? &elementwise<W, Szext<true>, T, T, uint32_t>
                     : &elementwise<W, Szext<false>, T, T, uint32_t>;
      });
    case Opcode::kBmsk:
      return clamp ? kBinary<W, Bmsk<true>, uint32_t> : kBinary<W, Bmsk<false>, uint32_t>;
    default:
      return nullptr;
  }
}

template Handler<4> bitfield_handler<4>(const ptx::Instruction&);
template Handler<32> bitfield_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
