#pragma once

#include <string>

#include "circuit/lowering.h"

namespace warplock::circuit {

/// One instruction: "s2  add.u  r1, 4 -> r3".
std::string to_text(const MachineInstruction& instruction, uint32_t slot);

/// The blocks of a lowered kernel next to the lines of PTX that they come from, and where things
/// lie in memory.
std::string to_text(const Lowered& lowered, const ptx::Module& module);

}  // namespace warplock::circuit
