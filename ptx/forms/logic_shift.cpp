#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Logic, shifts and byte permutation (PTX ISA 9.7.8 and 9.7.9.7).
namespace warplock::ptx {
namespace {

/// The truth table of lop3 has eight bits (ptxas cuts a longer one; we refuse it).
void check_lookup_table(CheckContext& context) {
  context.require_below(context.source(3), 256, "the lookup table of lop3");
}

constexpr Form kForms[] = {
    {Opcode::kAnd, "and type:@bits", "=t t t"},
    {Opcode::kAnd, "and type:pred", "=t t:n t:n"},
    {Opcode::kOr, "or type:@bits", "=t t t"},
    {Opcode::kOr, "or type:pred", "=t t:n t:n"},
    {Opcode::kXor, "xor type:@bits", "=t t t"},
    {Opcode::kXor, "xor type:pred", "=t t:n t:n"},
    {Opcode::kNot, "not type:@bits", "=t t"},
    {Opcode::kNot, "not type:pred", "=t t:n"},
    {Opcode::kCnot, "cnot type:@bits", "=t t"},
    {Opcode::kLop3, "lop3 type:b32", "=t t t t b32:i", check_lookup_table},
    {Opcode::kShl, "shl type:@bits", "=t t u32"},
    {Opcode::kShr, "shr type:@bits", "=t t u32"},
    {Opcode::kShr, "shr type:@int", "=t t u32"},
    {Opcode::kShf, "shf direction:l|r overflow:clamp|wrap type:b32", "=t t t u32"},
    {Opcode::kPrmt, "prmt type:b32 ?prmt:f4e|b4e|rc8|ecl|ecr|rc16", "=t t t b32"},
};

}  // namespace

std::span<const Form> logic_shift_forms() {
  return kForms;
}

}  // namespace warplock::ptx
