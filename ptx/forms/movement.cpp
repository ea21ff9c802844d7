#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Moves between registers and of addresses (PTX ISA 9.7.9).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kMov, "mov type:@moved", "any any", check_move},
    {Opcode::kMov, "mov type:pred", "=t t:n"},
    {Opcode::kIsspacep, "isspacep space:const|global|local|shared|shared::cta|param|param::entry",
     "=pred any", check_address_query},
    {Opcode::kCvta,
     "cvta flag:to space:const|global|local|shared|shared::cta|param|param::entry type:u32|u64",
     "=t t:a"},
    {Opcode::kCvta,
     "cvta space:const|global|local|shared|shared::cta|param|param::entry type:u32|u64", "=t t:a"},
};

}  // namespace

std::span<const Form> movement_forms() {
  return kForms;
}

}  // namespace warplock::ptx
