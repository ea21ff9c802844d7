#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/executor.h"

/// Executors in processes of their own, so that a crash or a hang costs one test and nothing else.
namespace warplock::executor {

/// Runs the other end of `isolate`: reads requests from `in_fd`, runs them, writes outcomes to
/// `out_fd`, until end of file. Returns the exit status for main().
int serve(Executor& executor, int in_fd, int out_fd);

/// An executor that runs in a worker process started by `worker_command` (which must end in
/// `serve`). The worker is started on first use and again after it died. It answers within
/// `timeout_seconds` or is killed: the outcome is then a Refusal of kind kTimeout; a worker that
/// dies gives kCrash with the signal's name or the exit status, and the last lines of its standard
/// error.
std::unique_ptr<Executor> isolate(std::vector<std::string> worker_command, double timeout_seconds);

}  // namespace warplock::executor
