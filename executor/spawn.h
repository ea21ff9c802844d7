#pragma once

#include <sys/types.h>

#include "executor/subprocess.h"

namespace warplock::executor {

/// A started process and our ends of its pipes, all of them close-on-exec and non-blocking.
struct Spawned {
  pid_t pid = -1;
  int in = -1, out = -1, err = -1;
};

/// Starts a process for `Subprocess`. Throws `std::runtime_error`.
Spawned spawn(const SubprocessOptions& options);

}  // namespace warplock::executor
