#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// A child process that we talk to through its standard input and output, and that never outlives
/// us, blocks us, or costs us memory without bound.
namespace warplock::executor {

using Deadline = std::chrono::steady_clock::time_point;
/// The moment `seconds` from now; far in the future for a very large number.
Deadline deadline_after(double seconds);

struct SubprocessOptions {
  std::vector<std::string> command;  ///< program, found by PATH when it has no slash, and arguments
  uint64_t address_space_bytes = 0;  ///< RLIMIT_AS of the child; 0 = none
};

/// How a process ended.
struct ProcessEnd {
  enum class Kind { kExited, kSignalled, kKilledByUs, kUnknown };
  Kind kind = Kind::kUnknown;
  int code = 0;  ///< exit status or signal number
};
/// "exited with status 3", "was killed by SIGSEGV".
std::string describe(const ProcessEnd& end);

/// The last few lines of an error output as one printable line.
std::string last_lines(const std::string& errors);

/// Empty when `program` can be started, else the reason.
std::string why_not_startable(const std::string& program);

class Subprocess {
 public:
  /// Starts it: in a process group of its own, with no file of ours open but its three pipes, to be
  /// killed when we die. Throws `std::runtime_error` with the reason when it cannot be started.
  explicit Subprocess(const SubprocessOptions& options);
  /// Kills the process group.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  /// Queues bytes for the child's standard input; `receive` sends them.
  void send(std::string bytes);

  enum class Received {
    kData,     ///< something was appended
    kEnd,      ///< standard output is closed
    kTimeout,  ///< nothing came before the deadline
  };
  /// Waits for output and appends it to `buffer`, a bounded amount at a time. What is queued for
  /// input goes out at the same time, so neither side can block the other, and standard error is
  /// collected.
  Received receive(std::string& buffer, Deadline deadline);

  /// The last bytes of standard error so far.
  const std::string& error_tail() const { return error_tail_; }

  /// Ends it: waits up to `grace_seconds` for it to go by itself, then kills the whole group. Later
  /// calls give the same answer.
  ProcessEnd stop(double grace_seconds);

 private:
  void write_pending();
  void read_errors();
  void close_all();

  pid_t pid_ = -1;
  int in_ = -1;   ///< we write
  int out_ = -1;  ///< we read
  int err_ = -1;  ///< we read
  std::string pending_;
  size_t pending_offset_ = 0;
  std::string error_tail_;
  std::vector<char> chunk_;
  ProcessEnd end_;
};

}  // namespace warplock::executor
