#include <fmt/format.h>

#include "ptx/check_context.h"
#include "ptx/forms.h"

/// Conversions (PTX ISA 9.7.9.21): between integers, and from integers to .f32.
namespace warplock::ptx {
namespace {

/// .sat stands only where the source has values that the destination has not.
void check_saturation(CheckContext& context) {
  const Instruction& instruction = context.instruction();
  if (!instruction.modifiers.saturate) return;
  Type to = instruction.types[0], from = instruction.types[1];
  bool holds_all = is_signed(to) == is_signed(from) ? bits(to) >= bits(from)
                                                    : is_signed(to) && bits(to) > bits(from);
  if (holds_all) {
    context.fail("illegal modifier", fmt::format(".sat from .{} to .{}, which holds all its values",
                                                 spelling(from), spelling(to)));
  }
}

constexpr Form kForms[] = {
    {Opcode::kCvt, "cvt ?flag:sat type:@int8_64 type:@int8_64", "=t:w s:w", check_saturation},
    {Opcode::kCvt, "cvt round:rn|rz|rm|rp type:f32 type:@int8_64", "=t s:w"},
};

}  // namespace

std::span<const Form> conversion_forms() {
  return kForms;
}

}  // namespace warplock::ptx
