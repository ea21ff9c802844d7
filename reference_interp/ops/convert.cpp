#include <algorithm>
#include <bit>
#include <limits>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// cvt between integers, and from integers to .f32 (PTX ISA 9.7.9.21). Registers may be wider than
/// the types: a source is cut to its type, a result is extended by its type to the register.
namespace warplock::reference_interp {
namespace {

using ptx::Type;

/// Both registers are as wide as their types: a C++ conversion says it all.
struct Cast {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

/// Sign- or zero-extends a value of type T, kept in the low bits of a row's word.
template <class T>
constexpr uint64_t extend(uint64_t stored) {
  const T value = static_cast<T>(stored);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(int64_t{value});
  } else {
    return value;
  }
}

/// The source values as 64-bit patterns.
template <int W, class T>
void widen(const Step<W>& s, uint64_t* values) {
  if (s.in->wide_source) {
    const uint64_t* row = s.template source<uint64_t>(0);
    for (int lane = 0; lane < W; ++lane) values[lane] = extend<T>(row[lane]);
  } else {
    const uint32_t* row = s.template source<uint32_t>(0);
    for (int lane = 0; lane < W; ++lane) values[lane] = extend<T>(row[lane]);
  }
}

template <int W>
void widen_source(const Step<W>& s, uint64_t* values) {
  switch (s.in->text->types[1]) {
    case Type::kU8:
      return widen<W, uint8_t>(s, values);
    case Type::kS8:
      return widen<W, int8_t>(s, values);
    case Type::kU16:
      return widen<W, uint16_t>(s, values);
    case Type::kS16:
      return widen<W, int16_t>(s, values);
    case Type::kU32:
      return widen<W, uint32_t>(s, values);
    case Type::kS32:
      return widen<W, int32_t>(s, values);
    case Type::kS64:
      return widen<W, int64_t>(s, values);
    default:
      return widen<W, uint64_t>(s, values);
  }
}

/// .sat: limits to the range of D.
template <int W>
void saturate(uint64_t* values, bool source_signed, Type to) {
  const uint32_t bits = ptx::bits(to);
  const bool to_signed = ptx::is_signed(to);
  const uint64_t most = ~uint64_t{0} >> (64 - bits + (to_signed ? 1 : 0));
  const int64_t least = to_signed ? -static_cast<int64_t>(most) - 1 : 0;
  const int64_t most_signed =
      static_cast<int64_t>(std::min<uint64_t>(most, std::numeric_limits<int64_t>::max()));
  for (int lane = 0; lane < W; ++lane) {
    if (source_signed) {
      const int64_t value = static_cast<int64_t>(values[lane]);
      values[lane] = static_cast<uint64_t>(std::clamp(value, least, most_signed));
    } else {
      values[lane] = std::min(values[lane], most);
    }
  }
}

template <int W>
void convert(Step<W>& s) {
  const ptx::Instruction& text = *s.in->text;
  uint64_t values[W];
  widen_source(s, values);
  if (text.modifiers.saturate) saturate<W>(values, ptx::is_signed(text.types[1]), text.types[0]);
  const uint32_t spare = 64 - ptx::bits(text.types[0]);
  const bool sign = ptx::is_signed(text.types[0]);
  const uint64_t mask = s.in->register_mask;
  const auto extended = [&](int lane) {
    const uint64_t top = values[lane] << spare;
    const uint64_t value =
        sign ? static_cast<uint64_t>(static_cast<int64_t>(top) >> spare) : top >> spare;
    return value & mask;
  };
  if (mask > 0xffffffff) {
    write_row<W>(s.template destination<uint64_t>(0), s.exec, extended);
  } else {
    write_row<W>(s.template destination<uint32_t>(0), s.exec,
                 [&](int lane) { return static_cast<uint32_t>(extended(lane)); });
  }
}

/// The float nearest to -magnitude or magnitude in the given direction.
uint32_t to_float(bool negative, uint64_t magnitude, ptx::Rounding rounding) {
  if (magnitude == 0) return 0;
  uint32_t exponent = 63 - static_cast<uint32_t>(std::countl_zero(magnitude));
  uint64_t mantissa = 0;
  if (exponent <= 23) {
    mantissa = magnitude << (23 - exponent);
  } else {
    const uint32_t dropped = exponent - 23;
    mantissa = magnitude >> dropped;
    const uint64_t rest = magnitude & ((uint64_t{1} << dropped) - 1);
    const uint64_t half = uint64_t{1} << (dropped - 1);
    bool up = false;
    switch (rounding) {
      case ptx::Rounding::kRz:
        break;
      case ptx::Rounding::kRm:
        up = negative && rest != 0;
        break;
      case ptx::Rounding::kRp:
        up = !negative && rest != 0;
        break;
      default:
        up = rest > half || (rest == half && (mantissa & 1) != 0);
        break;
    }
    mantissa += up ? 1 : 0;
    if (mantissa >> 24 != 0) {
      mantissa >>= 1;
      ++exponent;
    }
  }
  return (negative ? 0x80000000u : 0u) | (exponent + 127) << 23 |
         (static_cast<uint32_t>(mantissa) & 0x7fffff);
}

template <int W>
void convert_to_float(Step<W>& s) {
  const ptx::Instruction& text = *s.in->text;
  uint64_t values[W];
  widen_source(s, values);
  const bool source_signed = ptx::is_signed(text.types[1]);
  s.template result<uint32_t>([&](int lane) {
    const bool negative = source_signed && static_cast<int64_t>(values[lane]) < 0;
    return to_float(negative, negative ? 0 - values[lane] : values[lane], text.modifiers.rounding);
  });
}

}  // namespace

template <int W>
Handler<W> convert_handler(const ptx::Instruction& in, const RegisterWidths& widths) {
  if (in.opcode != ptx::Opcode::kCvt) return nullptr;
  if (in.types[0] == Type::kF32) return &convert_to_float<W>;
  if (in.modifiers.saturate || widths.destination != ptx::bits(in.types[0]) ||
      widths.source != ptx::bits(in.types[1])) {
    return &convert<W>;
  }
  const Handler<W> direct = for_integer<W>(in.types[0], [&](auto to) {
    return for_integer<W>(in.types[1], [](auto from) -> Handler<W> {
      return &elementwise<W, Cast, typename decltype(to)::type, typename decltype(from)::type>;
    });
  });
  return direct != nullptr ? direct : &convert<W>;
}

template Handler<4> convert_handler<4>(const ptx::Instruction&, const RegisterWidths&);
template Handler<32> convert_handler<32>(const ptx::Instruction&, const RegisterWidths&);

}  // namespace warplock::reference_interp
