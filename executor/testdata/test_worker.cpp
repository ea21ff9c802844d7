// An executor that behaves as the launch's entry says, for the tests of isolation; and a parent
// that starts a child and waits, for the test of what its death does.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "executor/isolated.h"
#include "executor/messages.h"
#include "executor/subprocess.h"

namespace warplock::executor {
namespace {

/// Writes behind `serve`'s back into the pipe that the answers take.
void write_raw(const std::string& bytes) {
  for (int fd = STDERR_FILENO + 1; fd < 16; ++fd) {
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) continue;
    if (write(fd, bytes.data(), bytes.size()) >= 0) return;  // fails on the reading end
  }
}

/// Recurses for as long as `more` says so, which is for ever; volatile so that no compiler sees it.
int overflow_stack(const volatile bool& more) {
  volatile char frame[4096];
  frame[0] = 1;
  return more ? overflow_stack(more) + frame[0] : 0;
}

trace::Trace trace_of(const Program& program, const Launch& launch, trace::Level level,
                      size_t events) {
  trace::Trace trace;
  trace.executor = "test";
  trace.kernel = launch.entry;
  trace.launch_digest = digest(launch);
  trace.program_digest = program.digest;
  trace.level = level;
  trace.warp_width = launch.warp_width;
  trace.instructions = {{7, 12, 3, "st.global.u32 [%rd1], %r1"}};
  trace.register_names = {"%r1"};
  trace.objects = {{"out", trace::Space::kGlobal, 4096, 16, 1}};
  for (size_t i = 0; i < events; ++i) {
    trace::Event event;
    event.kind = trace::EventKind::kStore;
    event.space = trace::Space::kGlobal;
    event.occurrence = static_cast<uint32_t>(i);
    event.width = 4;
    event.offset = 4 * (i % 4);
    event.value = i;
    trace.events.push_back(event);
  }
  return trace;
}

class TestExecutor : public Executor {
 public:
  std::string name() const override { return "test"; }
  std::string version() const override { return "7.5"; }
  std::string device() const override { return "a test"; }
  Capabilities capabilities() const override { return {true, false, trace::Level::kMemory, true}; }

  Outcome run(const Program& program, const Launch& launch, trace::Level level) override {
    const std::string& mode = launch.entry;
    if (mode == "crash") raise(SIGSEGV);
    if (mode == "stack") {
      volatile bool more = true;
      overflow_stack(more);
    }
    if (mode == "abort") {
      std::fputs("free(): invalid pointer\n", stderr);
      std::abort();
    }
    if (mode == "exit") _exit(7);
    if (mode == "hang") {
      for (;;) pause();
    }
    if (mode == "spin") {
      for (volatile bool forever = true; forever;) {
      }
    }
    if (mode == "allocate") {
      for (std::vector<std::vector<char>> hoard;;) hoard.emplace_back(size_t{1} << 26, 'x');
    }
    if (mode == "throw") throw std::runtime_error("an internal matter");
    if (mode == "throw_other") throw 5;
    if (mode == "input_error") {
      throw diagnostics::InputError(diagnostics::error_at(*launch.source, launch.entry_position,
                                                          "undefined symbol", "no such entry"));
    }
    if (mode == "unsupported") return Refusal{Refusal::Kind::kUnsupported, "needs 37 blocks", {}};
    if (mode == "fault") {
      return Refusal{Refusal::Kind::kFault,
                     "a race",
                     {diagnostics::error_at(*program.module->source, {2, 1}, "data race", "here")}};
    }
    if (mode == "garbage") write_raw("Hello, world! This is not what you are waiting for.\n");
    if (mode == "half_header") {
      write_raw(encode_header({MessageType::kAnswer, 1, 0}).substr(0, 9));
      for (;;) pause();
    }
    if (mode == "half_then_die") {
      write_raw(encode_header({MessageType::kAnswer, 1, 1000}) + "only this");
      _exit(0);
    }
    if (mode == "impossible_length") {
      write_raw(encode_header({MessageType::kAnswer, 1, uint64_t{1} << 60}));
    }
    if (mode == "other_id") write_raw(encode_header({MessageType::kAnswer, 1u << 20, 0}));
    if (mode == "print") {
      std::printf("printed by a library\n");
      std::fflush(stdout);
    }
    if (mode == "noisy") {
      for (int i = 0; i < 200'000; ++i) std::fputs("noise on standard error\n", stderr);
    }
    if (mode == "late") {  // says something unasked when its answer is long out
      std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        write_raw("late");
      }).detach();
    }
    if (mode == "dies_idle") {
      std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        _exit(9);
      }).detach();
    }
    Execution execution;
    for (const Argument& argument : launch.arguments) {
      if (!argument.is_buffer) continue;
      std::vector<uint32_t> words = argument.words;
      for (uint32_t& word : words) ++word;
      execution.outputs.emplace_back(argument.name, std::move(words));
    }
    size_t events = level == trace::Level::kOff ? 0 : mode == "large" ? 1'000'000 : 3;
    execution.trace = trace_of(program, launch, level, events);
    if (mode == "impossible_event") execution.trace.events[1].object = 17;
    execution.steps = ++served_;
    execution.seconds = 0.25;
    return execution;
  }

 private:
  uint64_t served_ = 0;
};

/// Starts a child that tells its process id and sleeps; passes the id on and waits to be killed.
int be_parent() {
  Subprocess child({{"sh", "-c", "echo $$; exec sleep 1000"}, 0});
  std::string line;
  while (line.find('\n') == std::string::npos) {
    if (child.receive(line, deadline_after(60)) != Subprocess::Received::kData) return 1;
  }
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  for (;;) pause();
}

}  // namespace
}  // namespace warplock::executor

int main(int argc, char** argv) {
  using namespace warplock::executor;
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--parent") return be_parent();
  if (mode == "--die") {
    std::fputs("libthing.so: cannot open shared object file\n", stderr);
    return 127;
  }
  TestExecutor executor;
  return serve(executor, STDIN_FILENO, STDOUT_FILENO);
}
