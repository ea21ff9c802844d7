#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ptx/types.h"
#include "reference_interp/step.h"

/// The layer that lets an instruction be written as one function of its operands' values.
namespace warplock::reference_interp {

/// d = Op::apply(a, b, ...) in every executing lane; R is d's type, A... are the operands' types.
template <int W, class Op, class R, class... A>
void elementwise(Step<W>& s) {
  [&]<size_t... K>(std::index_sequence<K...>) {
    const std::tuple<const Stored<A>*...> rows{s.template source<A>(static_cast<int>(K))...};
    s.template result<R>([&](int lane) {
      return static_cast<R>(Op::apply(static_cast<A>(std::get<K>(rows)[lane])...));
    });
  }
  (std::index_sequence_for<A...>{});
}

template <class T>
struct TypeTag {
  using type = T;
};

/// f(TypeTag<T>) for the C++ type of an integer type of PTX (untyped bits are unsigned), or null.
template <int W, class F>
Handler<W> for_integer(ptx::Type type, F f) {
  using ptx::Type;
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return f(TypeTag<uint16_t>{});
    case Type::kS16:
      return f(TypeTag<int16_t>{});
    case Type::kB32:
    case Type::kF32:
    case Type::kU32:
      return f(TypeTag<uint32_t>{});
    case Type::kS32:
      return f(TypeTag<int32_t>{});
    case Type::kB64:
    case Type::kF64:
    case Type::kU64:
      return f(TypeTag<uint64_t>{});
    case Type::kS64:
      return f(TypeTag<int64_t>{});
    default:
      return nullptr;
  }
}

/// The same for the types of 32 and 64 bits only.
template <int W, class F>
Handler<W> for_wide_integer(ptx::Type type, F f) {
  return for_integer<W>(type, [&](auto tag) -> Handler<W> {
    if constexpr (sizeof(typename decltype(tag)::type) >= 4) {
      return f(tag);
    } else {
      return nullptr;
    }
  });
}

/// The same for .u32 and .s32 (and .b32 as .u32).
template <int W, class F>
Handler<W> for_integer32(ptx::Type type, F f) {
  return for_integer<W>(type, [&](auto tag) -> Handler<W> {
    if constexpr (sizeof(typename decltype(tag)::type) == 4) {
      return f(tag);
    } else {
      return nullptr;
    }
  });
}

/// Handlers for d = Op(a), Op(a, b), Op(a, b, c) with all operands of one type.
template <int W, class Op, class T>
constexpr Handler<W> kUnary = &elementwise<W, Op, T, T>;
template <int W, class Op, class T>
constexpr Handler<W> kBinary = &elementwise<W, Op, T, T, T>;
template <int W, class Op, class T>
constexpr Handler<W> kTernary = &elementwise<W, Op, T, T, T, T>;

__extension__ typedef unsigned __int128 Unsigned128;
__extension__ typedef __int128 Signed128;

/// The type of twice the width, with T's signedness.
template <class T>
using Doubled = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, Signed128, Unsigned128>>>;

/// Arithmetic that wraps: in an unsigned type of at least 32 bits, so that neither signed overflow
/// nor the promotion of 16-bit operands to int plays a part.
template <class T>
using Wrapping = Stored<T>;

template <class T>
constexpr Wrapping<T> wrapping(T value) {
  return static_cast<Wrapping<T>>(value);
}

}  // namespace warplock::reference_interp
