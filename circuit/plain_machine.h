#pragma once

#include <vector>

#include "circuit/emulator.h"

/// For tests: the machine written down a second time, as plainly as can be and with nothing of the
/// emulator in it.
namespace warplock::circuit {

/// The first `most` steps of a run, kHalt included.
std::vector<Step> run_plainly(const MachineProgram& program, size_t most);

/// A program with every kind of operand, guard, branch, barrier, serial block and grid;
/// deterministic in `seed`. Its stores may leave memory.
MachineProgram random_program(uint64_t seed);

}  // namespace warplock::circuit
