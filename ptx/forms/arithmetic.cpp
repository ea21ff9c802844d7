#include "ptx/forms.h"

/// Integer arithmetic (PTX ISA 9.7.1), without the bit field instructions.
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kAdd, "add type:@int", "=t t t"},
    {Opcode::kAdd, "add flag:sat type:s32", "=t t t"},
    {Opcode::kSub, "sub type:@int", "=t t t"},
    {Opcode::kSub, "sub flag:sat type:s32", "=t t t"},
    {Opcode::kMul, "mul half:lo|hi type:@int", "=t t t"},
    {Opcode::kMul, "mul half:wide type:u16|s16|u32|s32", "=2t t t"},
    {Opcode::kMad, "mad half:lo|hi type:@int", "=t t t t"},
    {Opcode::kMad, "mad half:wide type:u16|s16|u32|s32", "=2t t t 2t"},
    {Opcode::kMad, "mad half:hi flag:sat type:s32", "=t t t t"},
    {Opcode::kMul24, "mul24 half:lo|hi type:@int32", "=t t t"},
    {Opcode::kMad24, "mad24 half:lo|hi type:@int32", "=t t t t"},
    {Opcode::kMad24, "mad24 half:hi flag:sat type:s32", "=t t t t"},
    {Opcode::kSad, "sad type:@int", "=t t t t"},
    {Opcode::kDiv, "div type:@int", "=t t t"},
    {Opcode::kRem, "rem type:@int", "=t t t"},
    {Opcode::kAbs, "abs type:@signed", "=t t"},
    {Opcode::kNeg, "neg type:@signed", "=t t"},
    {Opcode::kMin, "min type:@int", "=t t t"},
    {Opcode::kMax, "max type:@int", "=t t t"},
    {Opcode::kDp4a, "dp4a type:@int32 type:@int32", "=u32 t s u32"},
    {Opcode::kDp2a, "dp2a half:lo|hi type:@int32 type:@int32", "=u32 t s u32"},
};

}  // namespace

std::span<const Form> arithmetic_forms() {
  return kForms;
}

}  // namespace warplock::ptx
