#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executor/executor.h"

/// Executors in processes of their own, so that a crash or a hang costs one test and nothing else.
namespace warplock::executor {

/// Runs the other end of `isolate`: reads requests from `in_fd`, runs them, writes outcomes to
/// `out_fd`, until end of file. Returns the exit status for main(). When `out_fd` is standard
/// output, whatever else the program prints there goes to standard error from then on.
int serve(Executor& executor, int in_fd, int out_fd);

/// An executor that runs in a worker process started by `worker_command` (which must end in
/// `serve`). The worker is started on first use (of `run`, or of what it says about itself) and
/// again after it died. It answers within `timeout_seconds` or is killed: the outcome is then a
/// Refusal of kind kTimeout; a worker that dies gives kCrash with the signal's name or the exit
/// status, and the last lines of its standard error; one that answers nonsense gives kError. A
/// worker that cannot be started gives kError and has the last word of its command as name.
/// `address_space_bytes` limits the worker's memory (0 = no limit).
/// One request runs at a time; calls from several threads wait for each other.
std::unique_ptr<Executor> isolate(std::vector<std::string> worker_command, double timeout_seconds,
                                  uint64_t address_space_bytes = 0);

}  // namespace warplock::executor
