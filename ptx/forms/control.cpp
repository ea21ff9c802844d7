#include "ptx/forms.h"

/// Control flow (PTX ISA 9.7.12). Calls are taken apart in call.cpp.
namespace warplock::ptx {
namespace {

constexpr Form kForms[] = {
    {Opcode::kBra, "bra ?flag:uni", "label"},
    {Opcode::kBrxIdx, "brx lit:idx ?flag:uni", "u32:r table"},
    {Opcode::kCall, "call ?flag:uni", ""},
    {Opcode::kRet, "ret ?flag:uni", ""},
    {Opcode::kExit, "exit", ""},
    {Opcode::kTrap, "trap", ""},
    // Sleeping changes nothing that an execution can show.
    {Opcode::kNop, "nanosleep type:u32", "t"},
};

}  // namespace

std::span<const Form> control_forms() {
  return kForms;
}

}  // namespace warplock::ptx
