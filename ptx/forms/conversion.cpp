#include "ptx/forms.h"

/// Conversions (PTX ISA 9.7.9.21): between integers, and from integers to .f32.
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kCvt, "cvt ?flag:sat type:@int8_64 type:@int8_64", "=t:w s:w"},
    {Opcode::kCvt, "cvt round:rn|rz|rm|rp type:f32 type:@int8_64", "=t s:w"},
};

}  // namespace

std::span<const Form> conversion_forms() {
  return kForms;
}

}  // namespace warplock::ptx
