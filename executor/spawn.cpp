#include "executor/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace warplock::executor {
namespace {

/// The kernel kills a child with PR_SET_PDEATHSIG when the *thread* that started it ends. Threads
/// of a test runner come and go, so every child is started by this one, which ends with the
/// process.
class Spawner {
 public:
  static Spawner& instance() {
    static Spawner* spawner = new Spawner;
    return *spawner;
  }

  /// Runs `job` on the thread and waits for it.
  void run(const std::function<void()>& job) {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [&] { return job_ == nullptr; });
    job_ = &job;
    uint64_t ticket = ++submitted_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ >= ticket; });
  }

 private:
  Spawner() {
    std::thread([this] { loop(); }).detach();
  }

  void loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return job_ != nullptr && done_ < submitted_; });
      (*job_)();
      job_ = nullptr;
      ++done_;
      changed_.notify_all();
      idle_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  const std::function<void()>* job_ = nullptr;
  uint64_t submitted_ = 0, done_ = 0;
};

struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail();
    read = above_standard(ends[0]);
    write = above_standard(ends[1]);
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  static int take(int& fd) {
    int out = fd;
    fd = -1;
    return out;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  /// Where we were started without standard streams, a pipe may get their numbers, which the
  /// child's dup2 would overwrite.
  static int above_standard(int fd) {
    if (fd > STDERR_FILENO) return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    if (moved < 0) fail();
    return moved;
  }
};

struct ChildPlan {
  const SubprocessOptions* options;
  char* const* arguments;
  int in, out, err, failure;
  pid_t parent;
};

/// Between fork and exec: calls only what is allowed there in a program with threads.
[[noreturn]] void become_child(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // it died before the line above
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (plan.options->address_space_bytes != 0) {
    struct rlimit space = {plan.options->address_space_bytes, plan.options->address_space_bytes};
    setrlimit(RLIMIT_AS, &space);
  }
  bool connected = dup2(plan.in, STDIN_FILENO) >= 0 && dup2(plan.out, STDOUT_FILENO) >= 0 &&
                   dup2(plan.err, STDERR_FILENO) >= 0;
  close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  if (connected) execvp(plan.arguments[0], plan.arguments);
  int reason = errno;
  ssize_t written = write(plan.failure, &reason, sizeof reason);
  _exit(written == sizeof reason ? 127 : 126);
}

void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Spawned spawn(const SubprocessOptions& options) {
  if (options.command.empty()) throw std::runtime_error("the command is empty");
  std::vector<std::string> words = options.command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  Pipe in, out, err, failure;
  ChildPlan plan{&options,  arguments.data(), in.read, out.write,
                 err.write, failure.write,    getpid()};
  Spawned child;
  int fork_error = 0;
  Spawner::instance().run([&] {
    child.pid = fork();
    if (child.pid == 0) become_child(plan);
    fork_error = errno;
  });
  if (child.pid < 0) {
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(fork_error)));
  }
  Pipe::close_end(in.read);
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  Pipe::close_end(failure.write);
  // Closed by a successful exec; otherwise it says why there was none.
  int reason = 0;
  ssize_t got = 0;
  do {
    got = read(failure.read, &reason, sizeof reason);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw std::runtime_error(
        fmt::format("cannot start \"{}\": {}", options.command[0], std::strerror(reason)));
  }
  child.in = Pipe::take(in.write);
  child.out = Pipe::take(out.read);
  child.err = Pipe::take(err.read);
  for (int fd : {child.in, child.out, child.err}) set_nonblocking(fd);
#ifdef F_SETPIPE_SZ
  fcntl(child.out, F_SETPIPE_SZ, 1 << 20);  // traces are large; the usual size works too
#endif
  return child;
}

}  // namespace warplock::executor
