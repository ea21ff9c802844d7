#include "ptx/forms.h"

/// Counting, searching and bit fields (PTX ISA 9.7.1).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kPopc, "popc type:b32|b64", "=u32 t"},
    {Opcode::kClz, "clz type:b32|b64", "=u32 t"},
    {Opcode::kBfind, "bfind ?flag:shiftamt type:@int32_64", "=u32 t"},
    {Opcode::kFns, "fns type:b32", "=b32 b32 b32 s32"},
    {Opcode::kBrev, "brev type:b32|b64", "=t t"},
    {Opcode::kBfe, "bfe type:@int32_64", "=t t u32 u32"},
    {Opcode::kBfi, "bfi type:b32|b64", "=t t t u32 u32"},
    {Opcode::kSzext, "szext overflow:clamp|wrap type:@int32", "=t t u32"},
    {Opcode::kBmsk, "bmsk overflow:clamp|wrap type:b32", "=t u32 u32"},
};

}  // namespace

std::span<const Form> bit_field_forms() {
  return kForms;
}

}  // namespace warplock::ptx
