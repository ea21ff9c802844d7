#include <bit>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Extended-precision arithmetic (PTX ISA 9.7.2). CC.CF is one bit a lane; an instruction without
/// .cc, and one whose guard is false, leave it alone. After a subtraction it holds the borrow.
namespace warplock::reference_interp {
namespace {

template <class T>
struct WithCarry {
  std::make_unsigned_t<T> value = 0;
  bool carry = false;
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
WithCarry<T> add_carry(Unsigned<T> a, Unsigned<T> b, bool carry_in) {
  const Unsigned<T> partial = a + b;
  const Unsigned<T> sum = partial + (carry_in ? 1 : 0);
  return {sum, partial < a || sum < partial};
}
template <class T>
WithCarry<T> subtract_borrow(Unsigned<T> a, Unsigned<T> b, bool borrow_in) {
  const Unsigned<T> partial = a - b;
  return {static_cast<Unsigned<T>>(partial - (borrow_in ? 1 : 0)),
          a < b || (borrow_in && partial == 0)};
}

/// add.cc, addc, sub.cc, subc.
struct Sum {
  template <class T>
  static WithCarry<T> apply(const T* v, bool carry) {
    return add_carry<T>(static_cast<Unsigned<T>>(v[0]), static_cast<Unsigned<T>>(v[1]), carry);
  }
};
struct Difference {
  template <class T>
  static WithCarry<T> apply(const T* v, bool carry) {
    return subtract_borrow<T>(static_cast<Unsigned<T>>(v[0]), static_cast<Unsigned<T>>(v[1]),
                              carry);
  }
};
/// mad.cc, madc: the carry is that of the addition of c to the half of the product.
struct LowProductSum {
  template <class T>
  static WithCarry<T> apply(const T* v, bool carry) {
    const auto low =
        static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(v[0]) * static_cast<Unsigned<T>>(v[1]));
    return add_carry<T>(low, static_cast<Unsigned<T>>(v[2]), carry);
  }
};
struct HighProductSum {
  template <class T>
  static WithCarry<T> apply(const T* v, bool carry) {
    const auto high =
        static_cast<Unsigned<T>>((Doubled<T>{v[0]} * Doubled<T>{v[1]}) >> (8 * sizeof(T)));
    return add_carry<T>(high, static_cast<Unsigned<T>>(v[2]), carry);
  }
};

template <int W, class Op, class T, int kSources, bool kCarryIn, bool kCarryOut>
void with_carry(Step<W>& s) {
  if constexpr (kCarryIn) {
    const LaneMask missing = s.exec & ~s.warp.carry_written;
    if (missing != 0) {
      s.fault(std::countr_zero(missing), "uninitialised",
              "reads the carry flag, which no instruction with .cc has written");
    }
  }
  LaneMask carries = 0;
  Stored<T> values[W];
  for (int lane = 0; lane < W; ++lane) {
    T v[kSources];
    for (int k = 0; k < kSources; ++k) v[k] = static_cast<T>(s.template source<T>(k)[lane]);
    const bool carry_in = kCarryIn && (s.warp.carry >> lane & 1) != 0;
    const WithCarry<T> sum = Op::template apply<T>(v, carry_in);
    values[lane] = sum.value;
    carries |= sum.carry ? kLaneBits<W>.bit[lane] : 0;
  }
  s.template result<T>([&](int lane) { return static_cast<T>(values[lane]); });
  if constexpr (kCarryOut) {
    s.warp.carry = (s.warp.carry & ~s.exec) | (carries & s.exec);
    s.warp.carry_written |= s.exec;
  }
}

template <int W, class Op, int kSources>
Handler<W> choose(ptx::Type type, bool carry_in, bool carry_out) {
  return for_wide_integer<W>(type, [&](auto tag) -> Handler<W> {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) >= 4) {
      if (!carry_in) return &with_carry<W, Op, T, kSources, false, true>;
      return carry_out ? &with_carry<W, Op, T, kSources, true, true>
                       : &with_carry<W, Op, T, kSources, true, false>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

template <int W>
Handler<W> extended_handler(const ptx::Instruction& in) {
  using ptx::Opcode;
  const bool out = in.modifiers.carry_out;
  const bool high = in.modifiers.half == ptx::Half::kHi;
  switch (in.opcode) {
    case Opcode::kAdd:
      return choose<W, Sum, 2>(in.type(), false, true);
    case Opcode::kAddc:
      return choose<W, Sum, 2>(in.type(), true, out);
    case Opcode::kSub:
      return choose<W, Difference, 2>(in.type(), false, true);
    case Opcode::kSubc:
      return choose<W, Difference, 2>(in.type(), true, out);
    case Opcode::kMad:
      return high ? choose<W, HighProductSum, 3>(in.type(), false, true)
                  : choose<W, LowProductSum, 3>(in.type(), false, true);
    case Opcode::kMadc:
      return high ? choose<W, HighProductSum, 3>(in.type(), true, out)
                  : choose<W, LowProductSum, 3>(in.type(), true, out);
    default:
      return nullptr;
  }
}

template Handler<4> extended_handler<4>(const ptx::Instruction&);
template Handler<32> extended_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
