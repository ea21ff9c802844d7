#include "executor/subprocess.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "executor/spawn.h"

namespace warplock::executor {
namespace {

constexpr size_t kChunk = size_t{1} << 18;
constexpr size_t kErrorTail = 4096;

/// write() to a pipe that nobody reads raises SIGPIPE, which would end us. Blocks it for this
/// thread only, since what the whole process does with it is not ours to change.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    int error = errno;
    if (!was_pending_) {
      struct timespec now = {0, 0};
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

int milliseconds_until(Deadline deadline) {
  auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
}

}  // namespace

Deadline deadline_after(double seconds) {
  constexpr double kFar = 1e9;  // more would overflow the clock
  seconds = std::isnan(seconds) ? 0 : std::clamp(seconds, 0.0, kFar);
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                std::chrono::duration<double>(seconds));
}

std::string describe(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::kExited:
      return fmt::format("exited with status {}", end.code);
    case ProcessEnd::Kind::kSignalled: {
      const char* name = sigabbrev_np(end.code);
      return name ? fmt::format("was killed by SIG{}", name)
                  : fmt::format("was killed by signal {}", end.code);
    }
    case ProcessEnd::Kind::kKilledByUs:
      return "was killed because it did not end";
    case ProcessEnd::Kind::kUnknown:
      break;
  }
  return "ended in an unknown way";
}

std::string last_lines(const std::string& errors) {
  constexpr size_t kLines = 5;
  std::vector<std::string> lines;
  std::stringstream stream(errors);
  for (std::string line; std::getline(stream, line);) {
    for (char& c : line) {
      if (c < 0x20 || c > 0x7e) c = c == '\t' || c == '\r' ? ' ' : '?';
    }
    if (line.find_first_not_of(' ') != std::string::npos) lines.push_back(line);
  }
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return fmt::format("{}", fmt::join(lines, " | "));
}

std::string why_not_startable(const std::string& program) {
  namespace fs = std::filesystem;
  auto startable = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
  };
  if (program.empty()) return "the command is empty";
  if (program.find('/') != std::string::npos) {
    std::error_code ignored;
    if (!fs::exists(program, ignored)) return fmt::format("there is no file \"{}\"", program);
    return startable(program) ? "" : fmt::format("\"{}\" is not an executable file", program);
  }
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (startable(fs::path(folder.empty() ? "." : folder) / program)) return "";
  }
  return fmt::format("there is no program \"{}\" in PATH", program);
}

Subprocess::Subprocess(const SubprocessOptions& options) : chunk_(kChunk) {
  Spawned child = spawn(options);
  pid_ = child.pid;
  in_ = child.in;
  out_ = child.out;
  err_ = child.err;
}

Subprocess::~Subprocess() {
  stop(0);
}

void Subprocess::send(std::string bytes) {
  if (pending_offset_ == pending_.size()) {
    pending_ = std::move(bytes);
    pending_offset_ = 0;
  } else {
    pending_ += bytes;
  }
}

void Subprocess::write_pending() {
  WithoutSigpipe guard;
  ssize_t written =
      write(in_, pending_.data() + pending_offset_, pending_.size() - pending_offset_);
  if (written >= 0) {
    pending_offset_ += static_cast<size_t>(written);
  } else if (errno != EAGAIN && errno != EINTR) {
    // The child closed its input. What it says or how it ends tells more than this.
    close_fd(in_);
  }
  if (in_ < 0 || pending_offset_ == pending_.size()) {
    pending_ = std::string();
    pending_offset_ = 0;
  }
}

void Subprocess::read_errors() {
  ssize_t got = read(err_, chunk_.data(), chunk_.size());
  if (got > 0) {
    error_tail_.append(chunk_.data(), static_cast<size_t>(got));
    if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    close_fd(err_);
  }
}

Subprocess::Received Subprocess::receive(std::string& buffer, Deadline deadline) {
  for (;;) {
    if (out_ < 0) return Received::kEnd;
    bool writing = in_ >= 0 && pending_offset_ < pending_.size();
    struct pollfd waits[3] = {
        {out_, POLLIN, 0},
        {err_, POLLIN, 0},  // poll ignores a closed one, which is -1
        {writing ? in_ : -1, POLLOUT, 0},
    };
    int wait = milliseconds_until(deadline);
    int ready = poll(waits, 3, wait);
    if (ready < 0 && errno != EINTR) {
      throw std::runtime_error(fmt::format("poll: {}", std::strerror(errno)));
    }
    if (ready > 0) {
      if (waits[1].revents) read_errors();
      if (waits[2].revents) write_pending();
      if (waits[0].revents) {
        ssize_t got = read(out_, chunk_.data(), chunk_.size());
        if (got > 0) {
          buffer.append(chunk_.data(), static_cast<size_t>(got));
          return Received::kData;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
          close_fd(out_);
          return Received::kEnd;
        }
      }
    }
    if (std::chrono::steady_clock::now() >= deadline) return Received::kTimeout;
  }
}

void Subprocess::close_all() {
  close_fd(in_);
  close_fd(out_);
  close_fd(err_);
}

ProcessEnd Subprocess::stop(double grace_seconds) {
  if (pid_ < 0) return end_;
  Deadline deadline = deadline_after(grace_seconds);
  // WNOWAIT leaves the process in the table, so that its number cannot become somebody else's
  // before the group is killed.
  siginfo_t info = {};
  bool ended = false;
  auto pause = std::chrono::microseconds(100);
  for (;;) {
    info.si_pid = 0;
    int got = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    ended = got == 0 && info.si_pid == pid_;
    if (ended || (got < 0 && errno != EINTR)) break;
    if (std::chrono::steady_clock::now() >= deadline) break;
    if (err_ >= 0) read_errors();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped != pid_) {
    end_ = {ProcessEnd::Kind::kUnknown, 0};
  } else if (!ended) {
    end_ = {ProcessEnd::Kind::kKilledByUs, SIGKILL};
  } else if (WIFEXITED(status)) {
    end_ = {ProcessEnd::Kind::kExited, WEXITSTATUS(status)};
  } else {
    end_ = {ProcessEnd::Kind::kSignalled, WTERMSIG(status)};
  }
  // Everybody who could have written is dead; a pipe holds little, so few reads empty it.
  for (int i = 0; i < 64 && err_ >= 0; ++i) {
    struct pollfd wait = {err_, POLLIN, 0};
    if (poll(&wait, 1, 0) <= 0) break;
    read_errors();
  }
  close_all();
  pid_ = -1;
  return end_;
}

}  // namespace warplock::executor
