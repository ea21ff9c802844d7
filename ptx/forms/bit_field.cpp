#include "ptx/check_context.h"
#include "ptx/forms.h"

/// Counting, searching and bit fields (PTX ISA 9.7.1).
namespace warplock::ptx {
namespace {

/// Place and length of a field are taken modulo 256; constants are below.
void check_field(CheckContext& context, size_t place) {
  context.require_below(context.source(place), 256, "the place of a field");
  context.require_below(context.source(place + 1), 256, "the length of a field");
}

void check_extract(CheckContext& context) {
  check_field(context, 1);
}
void check_insert(CheckContext& context) {
  check_field(context, 2);
}

constexpr Form kForms[] = {
    {Opcode::kPopc, "popc type:b32|b64", "=u32 t"},
    {Opcode::kClz, "clz type:b32|b64", "=u32 t"},
    {Opcode::kBfind, "bfind ?flag:shiftamt type:@int32_64", "=u32 t"},
    {Opcode::kFns, "fns type:b32", "=b32 b32 b32 s32"},
    {Opcode::kBrev, "brev type:b32|b64", "=t t"},
    {Opcode::kBfe, "bfe type:@int32_64", "=t t u32 u32", check_extract},
    {Opcode::kBfi, "bfi type:b32|b64", "=t t t u32 u32", check_insert},
    {Opcode::kSzext, "szext overflow:clamp|wrap type:@int32", "=t t u32"},
    {Opcode::kBmsk, "bmsk overflow:clamp|wrap type:b32", "=t u32 u32"},
};

}  // namespace

std::span<const Form> bit_field_forms() {
  return kForms;
}

}  // namespace warplock::ptx
