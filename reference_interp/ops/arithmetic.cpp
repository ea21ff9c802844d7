#include <bit>
#include <limits>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Integer arithmetic (PTX ISA 9.7.1).
namespace warplock::reference_interp {
namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) - wrapping(b));
  }
};

constexpr int32_t clamp_to_s32(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min()) return std::numeric_limits<int32_t>::min();
  if (value > std::numeric_limits<int32_t>::max()) return std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(value);
}

/// add.sat.s32, sub.sat.s32: limited to MININT..MAXINT.
struct AddSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp_to_s32(int64_t{a} + b); }
};
struct SubSat {
  static int32_t apply(int32_t a, int32_t b) { return clamp_to_s32(int64_t{a} - b); }
};

template <class T>
constexpr T high_half(T a, T b) {
  return static_cast<T>((Doubled<T>{a} * Doubled<T>{b}) >> (8 * sizeof(T)));
}

struct MulLo {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
};
struct MulHi {
  template <class T>
  static T apply(T a, T b) {
    return high_half(a, b);
  }
};
struct MulWide {
  template <class T>
  static Doubled<T> apply(T a, T b) {
    return Doubled<T>{a} * Doubled<T>{b};
  }
};
struct MadLo {
  template <class T>
  static T apply(T a, T b, T c) {
    return static_cast<T>(wrapping(a) * wrapping(b) + wrapping(c));
  }
};
struct MadHi {
  template <class T>
  static T apply(T a, T b, T c) {
    return static_cast<T>(wrapping(high_half(a, b)) + wrapping(c));
  }
};
struct MadHiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp_to_s32(int64_t{high_half(a, b)} + c);
  }
};
struct MadWide {
  template <class T>
  static Doubled<T> apply(T a, T b, Doubled<T> c) {
    return static_cast<Doubled<T>>(wrapping(Doubled<T>{a} * Doubled<T>{b}) + wrapping(c));
  }
};

/// The product of the low 24 bits of a and b (PTX ISA 9.7.1.6): 48 bits, of which .hi takes bits 47
/// to 16 and .lo bits 31 to 0.
template <class T>
constexpr Doubled<T> product24(T a, T b) {
  const auto low24 = [](T value) {
    return static_cast<Doubled<T>>(static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8);
  };
  return low24(a) * low24(b);
}
struct Mul24Lo {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b));
  }
};
struct Mul24Hi {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b) >> 16);
  }
};
struct Mad24Lo {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Lo::apply(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Mul24Hi::apply(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return clamp_to_s32(int64_t{Mul24Hi::apply(a, b)} + c);
  }
};

/// d = c + |a - b|.
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return static_cast<T>(wrapping(c) +
                          (a < b ? wrapping(b) - wrapping(a) : wrapping(a) - wrapping(b)));
  }
};

/// PTX leaves division by zero open; this is what NVIDIA GPUs do for unsigned operands: all bits
/// set, and the dividend as the remainder. MININT / -1 overflows to MININT, with remainder 0.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0 - wrapping(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};

/// abs and neg of MININT are MININT.
struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? static_cast<T>(0 - wrapping(a)) : a;
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(0 - wrapping(a));
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};

/// Byte (or half) number `index` of `value`, sign-extended when T is signed.
template <class T, class Piece>
constexpr int64_t piece(T value, int index) {
  const auto bits = static_cast<std::make_unsigned_t<Piece>>(static_cast<uint32_t>(value) >>
                                                             (8 * sizeof(Piece) * index));
  return std::is_signed_v<T> ? int64_t{static_cast<Piece>(bits)} : int64_t{bits};
}

/// d = c + sum of the products of the four bytes of a and b.
struct Dp4a {
  template <class A, class B>
  static uint32_t apply(A a, B b, uint32_t c) {
    int64_t sum = c;
    for (int i = 0; i < 4; ++i) sum += piece<A, int8_t>(a, i) * piece<B, int8_t>(b, i);
    return static_cast<uint32_t>(sum);
  }
};
/// d = c + sum of the products of the two halves of a and the lower (upper) two bytes of b.
template <int kFirstByte>
struct Dp2a {
  template <class A, class B>
  static uint32_t apply(A a, B b, uint32_t c) {
    int64_t sum = c;
    for (int i = 0; i < 2; ++i) {
      sum += piece<A, int16_t>(a, i) * piece<B, int8_t>(b, kFirstByte + i);
    }
    return static_cast<uint32_t>(sum);
  }
};

template <int W, class Op>
Handler<W> unary(ptx::Type type) {
  return for_integer<W>(type, [](auto t) { return kUnary<W, Op, typename decltype(t)::type>; });
}
template <int W, class Op>
Handler<W> binary(ptx::Type type) {
  return for_integer<W>(type, [](auto t) { return kBinary<W, Op, typename decltype(t)::type>; });
}
template <int W, class Op>
Handler<W> ternary(ptx::Type type) {
  return for_integer<W>(type, [](auto t) { return kTernary<W, Op, typename decltype(t)::type>; });
}
template <int W, class Op>
Handler<W> binary32(ptx::Type type) {
  return for_integer32<W>(type, [](auto t) { return kBinary<W, Op, typename decltype(t)::type>; });
}
template <int W, class Op>
Handler<W> ternary32(ptx::Type type) {
  return for_integer32<W>(type, [](auto t) { return kTernary<W, Op, typename decltype(t)::type>; });
}

template <int W>
Handler<W> mul(const ptx::Instruction& in) {
  switch (in.modifiers.half) {
    case ptx::Half::kLo:
      return binary<W, MulLo>(in.type());
    case ptx::Half::kHi:
      return binary<W, MulHi>(in.type());
    default:
      break;
  }
  return for_integer<W>(in.type(), [](auto t) -> Handler<W> {
    using T = typename decltype(t)::type;
    if constexpr (sizeof(T) <= 4) {
      return &elementwise<W, MulWide, Doubled<T>, T, T>;
    } else {
      return nullptr;
    }
  });
}

template <int W>
Handler<W> mad(const ptx::Instruction& in) {
  switch (in.modifiers.half) {
    case ptx::Half::kLo:
      return ternary<W, MadLo>(in.type());
    case ptx::Half::kHi:
      return in.modifiers.saturate ? kTernary<W, MadHiSat, int32_t> : ternary<W, MadHi>(in.type());
    default:
      break;
  }
  return for_integer<W>(in.type(), [](auto t) -> Handler<W> {
    using T = typename decltype(t)::type;
    if constexpr (sizeof(T) <= 4) {
      return &elementwise<W, MadWide, Doubled<T>, T, T, Doubled<T>>;
    } else {
      return nullptr;
    }
  });
}

/// dp4a and dp2a: a has the first type, b the second.
template <int W, class Op>
Handler<W> dot(const ptx::Instruction& in) {
  return for_integer32<W>(in.types[0], [&](auto a) {
    return for_integer32<W>(in.types[1], [](auto b) -> Handler<W> {
      using A = typename decltype(a)::type;
      using B = typename decltype(b)::type;
      return &elementwise<W, Op, uint32_t, A, B, uint32_t>;
    });
  });
}

}  // namespace

template <int W>
Handler<W> arithmetic_handler(const ptx::Instruction& in) {
  using ptx::Opcode;
  const ptx::Type type = in.type();
  const bool hi = in.modifiers.half == ptx::Half::kHi;
  const bool sat = in.modifiers.saturate;
  switch (in.opcode) {
    case Opcode::kAdd:
      return sat ? kBinary<W, AddSat, int32_t> : binary<W, Add>(type);
    case Opcode::kSub:
      return sat ? kBinary<W, SubSat, int32_t> : binary<W, Sub>(type);
    case Opcode::kMul:
      return mul<W>(in);
    case Opcode::kMad:
      return mad<W>(in);
    case Opcode::kMul24:
      return hi ? binary32<W, Mul24Hi>(type) : binary32<W, Mul24Lo>(type);
    case Opcode::kMad24:
      if (hi && sat) return kTernary<W, Mad24HiSat, int32_t>;
      return hi ? ternary32<W, Mad24Hi>(type) : ternary32<W, Mad24Lo>(type);
    case Opcode::kSad:
      return ternary<W, Sad>(type);
    case Opcode::kDiv:
      return binary<W, Div>(type);
    case Opcode::kRem:
      return binary<W, Rem>(type);
    case Opcode::kAbs:
      return unary<W, Abs>(type);
    case Opcode::kNeg:
      return unary<W, Neg>(type);
    case Opcode::kMin:
      return binary<W, Min>(type);
    case Opcode::kMax:
      return binary<W, Max>(type);
    case Opcode::kDp4a:
      return dot<W, Dp4a>(in);
    case Opcode::kDp2a:
      return hi ? dot<W, Dp2a<2>>(in) : dot<W, Dp2a<0>>(in);
    default:
      return nullptr;
  }
}

template Handler<4> arithmetic_handler<4>(const ptx::Instruction&);
template Handler<32> arithmetic_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
