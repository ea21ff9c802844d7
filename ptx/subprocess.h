#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warplock::ptx {

/// How a child process ended.
struct ProcessResult {
  int exit_status = 0;     ///< when it exited by itself
  int signal = 0;          ///< when a signal ended it, else 0
  bool timed_out = false;  ///< it was killed because it ran too long
  std::string output;      ///< standard output and error together, cut at 1 MiB
};

/// Runs a program to its end, with nothing on standard input. After `timeout_seconds` it is killed,
/// with everything it started. Throws `std::runtime_error` when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, double timeout_seconds);

/// The path of an executable file: `name` itself when it has a slash, else looked up in PATH.
std::optional<std::string> find_program(const std::string& name);

/// A private folder that goes away, with the files in it, at the end of the scope.
class TemporaryFolder {
 public:
  /// Throws `std::runtime_error` when it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// The path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace warplock::ptx
