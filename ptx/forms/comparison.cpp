#include "ptx/forms.h"

/// Comparison and selection (PTX ISA 9.7.5 and 9.7.6).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    // A comparison of bits knows equality only; lo, ls, hi, hs are for unsigned types.
    {Opcode::kSet, "set compare:eq|ne type:u32|s32|f32 type:@bits", "=t s s"},
    {Opcode::kSet, "set compare:@compare_signed type:u32|s32|f32 type:@signed", "=t s s"},
    {Opcode::kSet, "set compare:@compare_unsigned type:u32|s32|f32 type:u16|u32|u64", "=t s s"},
    {Opcode::kSet, "set compare:eq|ne bool:and|or|xor type:u32|s32|f32 type:@bits",
     "=t s s pred:n"},
    {Opcode::kSet, "set compare:@compare_signed bool:and|or|xor type:u32|s32|f32 type:@signed",
     "=t s s pred:n"},
    {Opcode::kSet,
     "set compare:@compare_unsigned bool:and|or|xor type:u32|s32|f32 type:u16|u32|u64",
     "=t s s pred:n"},
    {Opcode::kSetp, "setp compare:eq|ne type:@bits", "=pred:_ ?|pred:_ t t"},
    {Opcode::kSetp, "setp compare:@compare_signed type:@signed", "=pred:_ ?|pred:_ t t"},
    {Opcode::kSetp, "setp compare:@compare_unsigned type:u16|u32|u64", "=pred:_ ?|pred:_ t t"},
    {Opcode::kSetp, "setp compare:eq|ne bool:and|or|xor type:@bits", "=pred:_ ?|pred:_ t t pred:n"},
    {Opcode::kSetp, "setp compare:@compare_signed bool:and|or|xor type:@signed",
     "=pred:_ ?|pred:_ t t pred:n"},
    {Opcode::kSetp, "setp compare:@compare_unsigned bool:and|or|xor type:u16|u32|u64",
     "=pred:_ ?|pred:_ t t pred:n"},
    {Opcode::kSelp, "selp type:@moved", "=t t t pred:n"},
    {Opcode::kSlct, "slct type:@moved type:s32", "=t t t s"},
    {Opcode::kSlct, "slct ?keep:ftz type:@moved type:f32", "=t t t s"},
};

}  // namespace

std::span<const Form> comparison_forms() {
  return kForms;
}

}  // namespace warplock::ptx
