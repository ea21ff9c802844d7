#include <bit>
#include <functional>

#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Comparison and selection (PTX ISA 9.7.6).
namespace warplock::reference_interp {
namespace {

using ptx::BoolOp;

/// The predicate that a comparison is combined with: source 2, if there is one.
template <int W>
LaneMask combine(const Step<W>& s, BoolOp op, LaneMask compared) {
  switch (op) {
    case BoolOp::kAnd:
      return compared & s.predicate(2);
    case BoolOp::kOr:
      return compared | s.predicate(2);
    case BoolOp::kXor:
      return compared ^ s.predicate(2);
    case BoolOp::kNone:
      break;
  }
  return compared;
}

template <int W, class T, class Relation>
LaneMask compare(const Step<W>& s) {
  const Stored<T>* a = s.template source<T>(0);
  const Stored<T>* b = s.template source<T>(1);
  return lanes_where<W>(
      [&](int lane) { return Relation{}(static_cast<T>(a[lane]), static_cast<T>(b[lane])); });
}

/// setp p|q, a, b, c: p = (a ~ b) op c, q = !(a ~ b) op c.
template <int W, class T, class Relation>
void setp(Step<W>& s) {
  const LaneMask compared = compare<W, T, Relation>(s);
  const BoolOp op = s.in->text->modifiers.bool_op;
  const LaneMask p = combine(s, op, compared);
  const LaneMask q = combine(s, op, ~compared);
  s.result_predicate(0, p);
  if (s.in->destinations > 1) s.result_predicate(1, q);
}

/// set d, a, b, c: all ones (1.0 for .f32) where (a ~ b) op c, else 0.
template <int W, class T, class Relation>
void set(Step<W>& s) {
  const LaneMask mask = combine(s, s.in->text->modifiers.bool_op, compare<W, T, Relation>(s));
  const bool to_float = s.in->text->types[0] == ptx::Type::kF32;
  const uint32_t yes = to_float ? std::bit_cast<uint32_t>(1.0f) : 0xffffffff;
  s.template result<uint32_t>(
      [&](int lane) { return (mask & kLaneBits<W>.bit[lane]) != 0 ? yes : 0; });
}

template <int W, class T, bool kPredicate, class Relation>
constexpr Handler<W> kComparison = kPredicate ? &setp<W, T, Relation> : &set<W, T, Relation>;

template <int W, bool kPredicate>
Handler<W> comparison(ptx::Type type, ptx::Compare relation) {
  return for_integer<W>(type, [&](auto tag) -> Handler<W> {
    using T = typename decltype(tag)::type;
    switch (relation) {
      case ptx::Compare::kEq:
        return kComparison<W, T, kPredicate, std::equal_to<T>>;
      case ptx::Compare::kNe:
        return kComparison<W, T, kPredicate, std::not_equal_to<T>>;
      case ptx::Compare::kLt:
        return kComparison<W, T, kPredicate, std::less<T>>;
      case ptx::Compare::kLe:
        return kComparison<W, T, kPredicate, std::less_equal<T>>;
      case ptx::Compare::kGt:
        return kComparison<W, T, kPredicate, std::greater<T>>;
      case ptx::Compare::kGe:
        return kComparison<W, T, kPredicate, std::greater_equal<T>>;
      case ptx::Compare::kNone:
        break;
    }
    return nullptr;
  });
}

/// d = chosen ? a : b, "uninitialised" included: the source that is not taken may be anything.
template <int W, class T>
void select(Step<W>& s, LaneMask chosen) {
  const Stored<T>* a = s.template source<T>(0);
  const Stored<T>* b = s.template source<T>(1);
  const LaneMask known =
      (s.initialised[s.in->s[0].slot] & chosen) | (s.initialised[s.in->s[1].slot] & ~chosen);
  s.template result<T>([&](int lane) {
    return static_cast<T>((chosen & kLaneBits<W>.bit[lane]) != 0 ? a[lane] : b[lane]);
  });
  s.set_initialised(0, s.exec, known);
}

/// The selector itself must have a value.
template <int W>
void check_selector(const Step<W>& s) {
  const LaneMask missing = s.exec & ~s.initialised[s.in->s[2].slot];
  if (missing != 0) {
    s.fault(std::countr_zero(missing), "uninitialised",
            "chooses by a register to which this thread has written nothing");
  }
}

template <int W, class T>
void selp(Step<W>& s) {
  check_selector(s);
  select<W, T>(s, s.predicate(2));
}

/// Whether c >= 0 as a float: -0.0 is, NaN is not. With .ftz a negative subnormal is -0.0.
template <bool kFlush>
constexpr bool not_negative(uint32_t c) {
  const uint32_t magnitude = c & 0x7fffffff;
  const bool nan = magnitude > 0x7f800000;
  const bool zero = magnitude == 0 || (kFlush && magnitude < 0x00800000);
  return !nan && (c >> 31 == 0 || zero);
}
struct BySign {
  static bool apply(uint32_t c) { return static_cast<int32_t>(c) >= 0; }
};
template <bool kFlush>
struct ByFloatSign {
  static bool apply(uint32_t c) { return not_negative<kFlush>(c); }
};

/// slct: a where c >= 0, else b.
template <int W, class T, class Selector>
void slct(Step<W>& s) {
  check_selector(s);
  const uint32_t* c = s.template source<uint32_t>(2);
  select<W, T>(s, lanes_where<W>([&](int lane) { return Selector::apply(c[lane]); }));
}

}  // namespace

template <int W>
Handler<W> compare_handler(const ptx::Instruction& in) {
  switch (in.opcode) {
    case ptx::Opcode::kSetp:
      return comparison<W, true>(in.types[0], in.modifiers.compare);
    case ptx::Opcode::kSet:
      return comparison<W, false>(in.types[1], in.modifiers.compare);
    case ptx::Opcode::kSelp:
      return for_integer<W>(in.type(), [](auto t) -> Handler<W> {
        return &selp<W, std::make_unsigned_t<typename decltype(t)::type>>;
      });
    case ptx::Opcode::kSlct:
      return for_integer<W>(in.type(), [&](auto t) -> Handler<W> {
        using T = std::make_unsigned_t<typename decltype(t)::type>;
        if (in.types[1] != ptx::Type::kF32) return &slct<W, T, BySign>;
        const bool flush = in.modifiers.kept.find(".ftz") != std::string::npos;
        return flush ? &slct<W, T, ByFloatSign<true>> : &slct<W, T, ByFloatSign<false>>;
      });
    default:
      return nullptr;
  }
}

template Handler<4> compare_handler<4>(const ptx::Instruction&);
template Handler<32> compare_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
