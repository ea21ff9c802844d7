#include "circuit/rules.h"

/// Comparison (PTX ISA 9.7.6): set and setp. The machine compares by <, signed and unsigned, and by
/// equality; the other relations are these with operands exchanged or negated.
namespace warplock::circuit {

namespace {

using ptx::BoolOp;
using ptx::Compare;
using ptx::Opcode;

Value combine(Emitter& e, Value compared) {
  switch (e.modifiers().bool_op) {
    case BoolOp::kAnd:
      return e.and_(compared, e.predicate(2));
    case BoolOp::kOr:
      return e.or_(compared, e.predicate(2));
    case BoolOp::kXor:
      return e.xor_(compared, e.predicate(2));
    case BoolOp::kNone:
      break;
  }
  return compared;
}

void set_predicates(Emitter& e) {
  const Value compared = compare_sources(e, e.type());
  const bool first = e.has_destination(0), second = e.has_destination(1);
  const Value p = first ? combine(e, compared) : Value{};
  const Value q = second ? combine(e, e.flip(compared)) : Value{};
  if (first) e.out(0, p);
  if (second) e.out(1, q);
}

void set_word(Emitter& e) {
  const Value p = combine(e, compare_sources(e, e.ptx().types[1]));
  const bool to_float = e.ptx().types[0] == ptx::Type::kF32;
  e.out(0, to_float ? e.mul(p, Emitter::constant(0x3f800000)) : e.negate(p));
}

constexpr Rule kRules[] = {
    {"setp", Opcode::kSetp, nullptr, set_predicates},
    {"set", Opcode::kSet, nullptr, set_word},
};

}  // namespace

std::span<const Rule> compare_rules() {
  return kRules;
}

Value compare_sources(Emitter& e, ptx::Type type) {
  const Compare relation = e.modifiers().compare;
  const bool is_signed = ptx::is_signed(type);
  if (ptx::bits(type) == 64) {
    const Wide a = e.wide(0), b = e.wide(1);
    switch (relation) {
      case Compare::kEq:
        return equal_wide(e, a, b);
      case Compare::kNe:
        return e.flip(equal_wide(e, a, b));
      case Compare::kLt:
        return less_wide(e, a, b, is_signed);
      case Compare::kGe:
        return e.flip(less_wide(e, a, b, is_signed));
      case Compare::kGt:
        return less_wide(e, b, a, is_signed);
      default:
        return e.flip(less_wide(e, b, a, is_signed));
    }
  }
  const Value a = e.in(0, type), b = e.in(1, type);
  const auto less = [&](Value x, Value y) { return is_signed ? e.lt_s(x, y) : e.lt_u(x, y); };
  switch (relation) {
    case Compare::kEq:
      return e.eq(a, b);
    case Compare::kNe:
      return e.flip(e.eq(a, b));
    case Compare::kLt:
      return less(a, b);
    case Compare::kGe:
      return e.flip(less(a, b));
    case Compare::kGt:
      return less(b, a);
    default:
      return e.flip(less(b, a));
  }
}

}  // namespace warplock::circuit
