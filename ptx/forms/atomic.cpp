#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Atomics and reductions (PTX ISA 9.7.13.13 and 9.7.13.14).
namespace warplock::ptx {
namespace {

// The words that all of them begin with; string literals, so that the forms stay one line each.
#define ATOM "atom ?keep:relaxed|acquire|release|acq_rel ?keep:@scope ?space:@strong_space "
#define RED "red ?keep:relaxed|release ?keep:@scope ?space:@strong_space "

// NVIDIA's own compilers write the scope behind the space: atom.global.cta.max.u32.
#define ATOM_SPACE_FIRST \
  "atom space:@strong_space ?keep:relaxed|acquire|release|acq_rel keep:@scope "
#define RED_SPACE_FIRST "red space:@strong_space ?keep:relaxed|release keep:@scope "

constexpr Form kForms[] = {
    {Opcode::kAtom, ATOM "atomic:and|or|xor type:b32|b64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM "atomic:add type:u32|s32|u64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM "atomic:min|max type:u32|s32|u64|s64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM "atomic:inc|dec type:u32", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM "atomic:exch type:b32|b64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM "atomic:cas type:b16|b32|b64", "=t:_ mem t t", check_access},
    {Opcode::kRed, RED "atomic:and|or|xor type:b32|b64", "mem t", check_access},
    {Opcode::kRed, RED "atomic:add type:u32|s32|u64", "mem t", check_access},
    {Opcode::kRed, RED "atomic:min|max type:u32|s32|u64|s64", "mem t", check_access},
    {Opcode::kRed, RED "atomic:inc|dec type:u32", "mem t", check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:and|or|xor type:b32|b64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:add type:u32|s32|u64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:min|max type:u32|s32|u64|s64", "=t:_ mem t",
     check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:inc|dec type:u32", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:exch type:b32|b64", "=t:_ mem t", check_access},
    {Opcode::kAtom, ATOM_SPACE_FIRST "atomic:cas type:b16|b32|b64", "=t:_ mem t t", check_access},
    {Opcode::kRed, RED_SPACE_FIRST "atomic:and|or|xor type:b32|b64", "mem t", check_access},
    {Opcode::kRed, RED_SPACE_FIRST "atomic:add type:u32|s32|u64", "mem t", check_access},
    {Opcode::kRed, RED_SPACE_FIRST "atomic:min|max type:u32|s32|u64|s64", "mem t", check_access},
    {Opcode::kRed, RED_SPACE_FIRST "atomic:inc|dec type:u32", "mem t", check_access},
};

#undef ATOM
#undef RED
#undef ATOM_SPACE_FIRST
#undef RED_SPACE_FIRST

}  // namespace

std::span<const Form> atomic_forms() {
  return kForms;
}

}  // namespace warplock::ptx
