#pragma once

#include <memory>
#include <string>
#include <vector>

#include "circuit/isa.h"
#include "executor/launch.h"
#include "ptx/module.h"

namespace warplock::circuit {

/// A kernel in machine blocks, with what leads back to PTX.
struct Lowered {
  std::vector<MachineBlock> blocks;
  /// PTX register (index into Function::registers) -> machine register, where it lives in one.
  std::vector<int> register_map;
  uint32_t shared_base = 0;          ///< word address of static shared memory
  uint32_t shared_words = 0;
  uint32_t spill_base = 0, spill_words = 0;
  uint32_t parameter_base = 0, parameter_words = 0;
  std::vector<uint32_t> buffer_base;  ///< word address of each buffer argument
};

/// Why a kernel does not fit: what it needs and what the machine has. Not an error of the input.
struct DoesNotFit {
  std::string reason;  ///< "needs 37 blocks, the machine has 32"
};

}  // namespace warplock::circuit
