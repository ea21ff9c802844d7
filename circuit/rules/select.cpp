#include "circuit/rules.h"

/// Selection (PTX ISA 9.7.6.3 and 9.7.6.4): selp, slct.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;

bool is_wide(const Instruction& i) {
  return ptx::bits(i.type()) == 64;
}
bool by_word(const Instruction& i) {
  return i.types[1] == ptx::Type::kS32;
}

/// slct takes a where c >= 0.
Value is_negative(Emitter& e) {
  return e.lt_s(e.in(2, ptx::Type::kS32), Emitter::constant(0));
}

/// As a float: negative but not -0.0 (nor, with .ftz, a subnormal), or not a number.
Value is_negative_float(Emitter& e) {
  const Value c = e.in(2, ptx::Type::kB32);
  const bool flush = e.modifiers().kept.find(".ftz") != std::string::npos;
  const Value positive = e.lt_u(c, Emitter::constant(0x7f800001));
  const Value negative_zero =
      e.lt_u(e.sub(c, Emitter::constant(0x80000000)), Emitter::constant(flush ? 0x00800000 : 1));
  return e.flip(e.or_(positive, negative_zero));
}

/// The bits as they are, whatever the type says about signs.
Value word(Emitter& e, size_t k) {
  return e.in(k, ptx::bits(e.type()) == 16 ? ptx::Type::kB16 : ptx::Type::kB32);
}

constexpr Rule kRules[] = {
    {"selp.64", Opcode::kSelp, is_wide,
     [](Emitter& e) { e.out(0, select_wide(e, e.predicate(2), e.wide(0), e.wide(1))); }},
    {"selp", Opcode::kSelp, nullptr,
     [](Emitter& e) { e.out(0, e.sel(e.predicate(2), word(e, 0), word(e, 1))); }},
    {"slct.64", Opcode::kSlct, [](const Instruction& i) { return by_word(i) && is_wide(i); },
     [](Emitter& e) { e.out(0, select_wide(e, is_negative(e), e.wide(1), e.wide(0))); }},
    {"slct", Opcode::kSlct, by_word,
     [](Emitter& e) { e.out(0, e.sel(is_negative(e), word(e, 1), word(e, 0))); }},
    {"slct.f32", Opcode::kSlct, [](const Instruction& i) { return !is_wide(i); },
     [](Emitter& e) { e.out(0, e.sel(is_negative_float(e), word(e, 1), word(e, 0))); }},
};

}  // namespace

std::span<const Rule> select_rules() {
  return kRules;
}

}  // namespace warplock::circuit
