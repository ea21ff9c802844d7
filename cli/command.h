#pragma once

#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

/// The command `warplock`: argument parsing and nothing else. Every file adds one call of
/// interfaces to the application; the callback stores the exit status in `status`.
namespace warplock::cli {

/// Exit statuses of the contract.
enum ExitStatus {
  kOk = 0,
  kDisagreement = 1,
  kUsage = 2,
  kBadInput = 3,
  kUnavailable = 4,
  kToolFailed = 5,
};

/// An executor or compiler that was asked for by name is not available here: exit status 4.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A combination of arguments that makes no sense: exit status 2.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void add_suite(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_compile(CLI::App& app, int& status);
void add_lower(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_devices(CLI::App& app, int& status);
void add_model(CLI::App& app, int& status);
void add_replay(CLI::App& app, int& status);
void add_worker(CLI::App& app, int& status);

/// True when colours suit the stream: a terminal, and NO_COLOR is not set.
bool use_color(int fd);

}  // namespace warplock::cli
