#include <algorithm>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Logic, shifts and byte permutation (PTX ISA 9.7.8 and 9.7.9.7).
namespace warplock::reference_interp {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
/// Logical: 1 for 0, else 0.
struct Cnot {
  template <class T>
  static T apply(T a) {
    return a == 0 ? T{1} : T{0};
  }
};

/// Amounts beyond the width count as the width.
struct Shl {
  template <class T>
  static T apply(T a, uint32_t b) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    return b >= kBits ? T{0} : static_cast<T>(wrapping(a) << b);
  }
};
struct Shr {
  template <class T>
  static T apply(T a, uint32_t b) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> std::min(b, kBits - 1));
    } else {
      return b >= kBits ? T{0} : static_cast<T>(a >> b);
    }
  }
};

/// Funnel shift of the 64 bits {b, a}: .l takes the upper 32 bits, .r the lower.
template <bool kClamp>
struct ShfLeft {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t n = kClamp ? std::min(c, 32u) : c & 31;
    const uint64_t both = uint64_t{b} << 32 | a;
    return n == 32 ? a : static_cast<uint32_t>(both << n >> 32);
  }
};
template <bool kClamp>
struct ShfRight {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t n = kClamp ? std::min(c, 32u) : c & 31;
    return static_cast<uint32_t>((uint64_t{b} << 32 | a) >> n);
  }
};

/// Bit by bit a truth table: entry (a << 2 | b << 1 | c) of the immediate.
template <int W>
void lop3(Step<W>& s) {
  const uint32_t table = s.template source<uint32_t>(3)[0];
  const uint32_t* a = s.template source<uint32_t>(0);
  const uint32_t* b = s.template source<uint32_t>(1);
  const uint32_t* c = s.template source<uint32_t>(2);
  const auto ones = [&](int entry) { return (table >> entry & 1) != 0 ? ~uint32_t{0} : 0; };
  const uint32_t t[8] = {ones(0), ones(1), ones(2), ones(3), ones(4), ones(5), ones(6), ones(7)};
  s.template result<uint32_t>([&](int lane) {
    const uint32_t x = a[lane], y = b[lane], z = c[lane];
    const uint32_t a0 = (~y & ((~z & t[0]) | (z & t[1]))) | (y & ((~z & t[2]) | (z & t[3])));
    const uint32_t a1 = (~y & ((~z & t[4]) | (z & t[5]))) | (y & ((~z & t[6]) | (z & t[7])));
    return (~x & a0) | (x & a1);
  });
}

/// The bytes of the result are bytes of {b, a}; the modes differ in what the selector c means.
constexpr uint8_t byte_of(uint64_t both, uint32_t index) {
  return static_cast<uint8_t>(both >> (8 * (index & 7)));
}
constexpr uint32_t from_bytes(uint64_t both, uint32_t b3, uint32_t b2, uint32_t b1, uint32_t b0) {
  return uint32_t{byte_of(both, b3)} << 24 | uint32_t{byte_of(both, b2)} << 16 |
         uint32_t{byte_of(both, b1)} << 8 | byte_of(both, b0);
}

template <ptx::PrmtMode kMode>
struct Prmt {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t both = uint64_t{b} << 32 | a;
    const uint32_t n = c & 3;
    switch (kMode) {
      case ptx::PrmtMode::kF4e:
        return from_bytes(both, n + 3, n + 2, n + 1, n);
      case ptx::PrmtMode::kB4e:
        return from_bytes(both, n + 5, n + 6, n + 7, n);
      case ptx::PrmtMode::kRc8:
        return from_bytes(both, n, n, n, n);
      // Clamp from the left: bytes below n become byte n; from the right: bytes above n do.
      case ptx::PrmtMode::kEcl:
        return from_bytes(both, 3, std::max(2u, n), std::max(1u, n), n);
      case ptx::PrmtMode::kEcr:
        return from_bytes(both, std::min(3u, n), std::min(2u, n), std::min(1u, n), 0);
      case ptx::PrmtMode::kRc16: {
        const uint32_t half = (n & 1) * 2;
        return from_bytes(both, half + 1, half, half + 1, half);
      }
      case ptx::PrmtMode::kNone:
        break;
    }
    // Each nibble of c: three bits choose a byte; the fourth asks for its sign in all eight bits.
    uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t selector = c >> (4 * i) & 0xf;
      uint32_t byte = byte_of(both, selector);
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};

template <int W>
Handler<W> prmt(ptx::PrmtMode mode) {
  using ptx::PrmtMode;
  switch (mode) {
    case PrmtMode::kNone:
      return kTernary<W, Prmt<PrmtMode::kNone>, uint32_t>;
    case PrmtMode::kF4e:
      return kTernary<W, Prmt<PrmtMode::kF4e>, uint32_t>;
    case PrmtMode::kB4e:
      return kTernary<W, Prmt<PrmtMode::kB4e>, uint32_t>;
    case PrmtMode::kRc8:
      return kTernary<W, Prmt<PrmtMode::kRc8>, uint32_t>;
    case PrmtMode::kEcl:
      return kTernary<W, Prmt<PrmtMode::kEcl>, uint32_t>;
    case PrmtMode::kEcr:
      return kTernary<W, Prmt<PrmtMode::kEcr>, uint32_t>;
    case PrmtMode::kRc16:
      return kTernary<W, Prmt<PrmtMode::kRc16>, uint32_t>;
  }
  return nullptr;
}

/// and, or, xor, not of predicates.
template <int W, class Op>
void predicate_logic(Step<W>& s) {
  s.result_predicate(0, Op::apply(s.predicate(0), s.predicate(1)));
}
template <int W>
void predicate_not(Step<W>& s) {
  s.result_predicate(0, ~s.predicate(0));
}

template <int W, class Op>
Handler<W> logic(ptx::Type type) {
  if (type == ptx::Type::kPred) return &predicate_logic<W, Op>;
  return for_integer<W>(type, [](auto t) { return kBinary<W, Op, typename decltype(t)::type>; });
}

template <int W, class Op>
Handler<W> shift(ptx::Type type) {
  return for_integer<W>(type, [](auto t) -> Handler<W> {
    using T = typename decltype(t)::type;
    return &elementwise<W, Op, T, T, uint32_t>;
  });
}

template <int W>
Handler<W> funnel(const ptx::Modifiers& m) {
  const bool clamp = m.overflow == ptx::Overflow::kClamp;
  if (m.direction == ptx::Direction::kLeft) {
    return clamp ? kTernary<W, ShfLeft<true>, uint32_t> : kTernary<W, ShfLeft<false>, uint32_t>;
  }
  return clamp ? kTernary<W, ShfRight<true>, uint32_t> : kTernary<W, ShfRight<false>, uint32_t>;
}

}  // namespace

template <int W>
Handler<W> logic_shift_handler(const ptx::Instruction& in) {
  using ptx::Opcode;
  const ptx::Type type = in.type();
  switch (in.opcode) {
    case Opcode::kAnd:
      return logic<W, And>(type);
    case Opcode::kOr:
      return logic<W, Or>(type);
    case Opcode::kXor:
      return logic<W, Xor>(type);
    case Opcode::kNot:
      if (type == ptx::Type::kPred) return &predicate_not<W>;
      return for_integer<W>(type,
                            [](auto t) { return kUnary<W, Not, typename decltype(t)::type>; });
    case Opcode::kCnot:
      return for_integer<W>(type,
                            [](auto t) { return kUnary<W, Cnot, typename decltype(t)::type>; });
    case Opcode::kLop3:
      return &lop3<W>;
    case Opcode::kShl:
      return shift<W, Shl>(type);
    case Opcode::kShr:
      return shift<W, Shr>(type);
    case Opcode::kShf:
      return funnel<W>(in.modifiers);
    case Opcode::kPrmt:
      return prmt<W>(in.modifiers.prmt);
    default:
      return nullptr;
  }
}

template Handler<4> logic_shift_handler<4>(const ptx::Instruction&);
template Handler<32> logic_shift_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
