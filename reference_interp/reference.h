#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "executor/executor.h"

/// The reference: a SIMT interpreter of PTX, and a checker of the programs it runs.
namespace warplock::reference_interp {

struct Options {
  uint64_t seed = 1;
  /// Which runnable warp, and which of its divergent groups of lanes, goes next: by number, or drawn
  /// from `seed`. Every choice is one that PTX allows.
  bool permute_schedule = false;
};

/// The executor `reference`.
std::unique_ptr<executor::Executor> make_reference(Options options = {});

}  // namespace warplock::reference_interp
