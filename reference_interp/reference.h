#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "executor/executor.h"
#include "ptx/module.h"

/// The reference: a SIMT interpreter of PTX, and a checker of the programs it runs.
namespace warplock::reference_interp {

/// A fault planted in one instruction, to see whether the tests notice it.
struct PlantedFault {
  /// Executed in place of the instruction. It must take the same operands.
  std::optional<ptx::Instruction> instead;
  /// Applied to every value that the instruction writes to its first destination (a predicate's is
  /// 0 or 1); the result is cut to the register's width.
  std::function<uint64_t(uint64_t)> distort;
};

struct Options {
  uint64_t seed = 1;
  /// Which runnable warp, and which of its divergent groups of lanes, goes next: by number, or
  /// drawn from `seed`. Every choice is one that PTX allows.
  bool permute_schedule = false;
  /// Asked once for every instruction of the module, while it is decoded; may be empty.
  std::function<std::optional<PlantedFault>(const ptx::Instruction&)> plant;
};

/// The executor `reference`.
std::unique_ptr<executor::Executor> make_reference(Options options = {});

}  // namespace warplock::reference_interp
