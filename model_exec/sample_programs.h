#pragma once

#include <functional>
#include <string>
#include <vector>

#include "circuit/isa.h"

/// Small machine programs with their results, for tests.
namespace warplock::model_exec::testing {

struct SampleProgram {
  std::string name;
  circuit::MachineProgram program;
  /// True when the memory at the end is what the program is for.
  std::function<bool(const std::vector<uint32_t>&)> right;
};

circuit::MachineOperand reg(uint32_t index);
circuit::MachineOperand forward(uint32_t slot);
circuit::MachineOperand immediate(uint32_t value);
circuit::MachineOperand thread();
circuit::MachineInstruction instruction(circuit::MachineOp op, circuit::MachineOperand a,
                                        circuit::MachineOperand b, circuit::MachineOperand c = {});

/// Dot products (atomic and by shuffles), vector addition, divergent Collatz, a barrier between two
/// warps, grids in one and two dimensions.
std::vector<SampleProgram> sample_programs();

/// A random valid program: every operation, guards, serial blocks, barriers, partial warps, grids.
/// It may run for ever.
circuit::MachineProgram random_program(const circuit::MachineSpec& spec, uint64_t seed);

}  // namespace warplock::model_exec::testing
