#include "ptx/check_context.h"
#include "ptx/forms.h"
/// Moves between registers and of addresses (PTX ISA 9.7.9).
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kMov, "mov type:@moved", "any any", check_move},
    {Opcode::kMov, "mov type:pred", "=t t:n"},
    {Opcode::kIsspacep, "isspacep space:@window", "=pred any", check_address_query},
    {Opcode::kCvta, "cvta flag:to space:@window type:u64", "=t t"},
    {Opcode::kCvta, "cvta space:@window type:u64", "=t t:a", check_window},
};

}  // namespace

std::span<const Form> movement_forms() {
  return kForms;
}

}  // namespace warplock::ptx
