#include "executor/isolated.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/test_programs.h"

namespace warplock::executor {
namespace {

using testing::HasSubstr;
using Kind = Refusal::Kind;

// A sanitizer reserves more addresses than any limit that is worth setting.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsWork = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kLimitsWork = false;
#else
constexpr bool kLimitsWork = true;
#endif
#else
constexpr bool kLimitsWork = true;
#endif

class IsolatedTest : public testing::Test {
 protected:
  explicit IsolatedTest(double timeout_seconds = 60)
      : executor_(isolate({WARPLOCK_TEST_WORKER}, timeout_seconds)) {}

  Outcome run(const std::string& mode, trace::Level level = trace::Level::kMemory) {
    return executor_->run(program_, launch_of(mode), level);
  }

  Refusal refused(const std::string& mode) {
    Outcome outcome = run(mode);
    if (auto* refusal = std::get_if<Refusal>(&outcome)) return *refusal;
    ADD_FAILURE() << mode << " was answered";
    return {};
  }

  /// The number that the answering process has given to this request, counted from 1.
  uint64_t right() {
    Outcome outcome = run("right");
    if (auto* refusal = std::get_if<Refusal>(&outcome)) {
      ADD_FAILURE() << "refused: " << refusal->reason;
      return 0;
    }
    const Execution& execution = std::get<Execution>(outcome);
    EXPECT_EQ(execution.outputs.size(), 3u);
    return execution.steps;
  }

  Program program_ = vector_add();
  std::unique_ptr<Executor> executor_;
};

class ImpatientIsolated : public IsolatedTest {
 protected:
  ImpatientIsolated() : IsolatedTest(1.5) {}
};

TEST_F(IsolatedTest, SaysWhoTheWorkerIs) {
  EXPECT_EQ(executor_->name(), "test");
  EXPECT_EQ(executor_->version(), "7.5");
  EXPECT_EQ(executor_->device(), "a test");
  EXPECT_FALSE(executor_->capabilities().width32);
  EXPECT_TRUE(executor_->capabilities().needs_cuda);
  EXPECT_EQ(executor_->capabilities().max_level, trace::Level::kMemory);
}

TEST_F(IsolatedTest, PassesEverythingThrough) {
  Outcome outcome = run("right");
  const Execution& execution = std::get<Execution>(outcome);
  ASSERT_EQ(execution.outputs.size(), 3u);
  EXPECT_EQ(execution.outputs[0].first, "a");
  EXPECT_THAT(execution.outputs[0].second, testing::ElementsAre(2, 3, 4, 5, 6, 0));
  EXPECT_EQ(execution.outputs[2].first, "out");
  EXPECT_EQ(execution.seconds, 0.25);
  const trace::Trace& trace = execution.trace;
  EXPECT_EQ(trace.kernel, "right");
  EXPECT_EQ(trace.launch_digest, digest(launch_of("right")));
  EXPECT_EQ(trace.program_digest, program_.digest);
  EXPECT_EQ(trace.level, trace::Level::kMemory);
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events[2].value, 2u);
  EXPECT_EQ(trace.events[2].offset, 8u);
  EXPECT_EQ(trace.instructions.at(0), (trace::Instruction{7, 12, 3, "st.global.u32 [%rd1], %r1"}));
  EXPECT_EQ(trace.objects.at(0), (trace::Object{"out", trace::Space::kGlobal, 4096, 16, 1}));
  EXPECT_THAT(trace.register_names, testing::ElementsAre("%r1"));
}

TEST_F(IsolatedTest, KeepsOneWorkerForManyRequests) {
  EXPECT_EQ(right(), 1u);
  EXPECT_EQ(right(), 2u);
  EXPECT_EQ(right(), 3u);
}

TEST_F(IsolatedTest, PassesLargeTraces) {
  Outcome outcome = run("large");
  const auto& events = std::get<Execution>(outcome).trace.events;
  ASSERT_EQ(events.size(), 1'000'000u);
  for (size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].value, i);
}

TEST_F(IsolatedTest, PassesRefusals) {
  EXPECT_EQ(refused("unsupported").kind, Kind::kUnsupported);
  EXPECT_EQ(refused("unsupported").reason, "needs 37 blocks");
  Refusal fault = refused("fault");
  EXPECT_EQ(fault.kind, Kind::kFault);
  ASSERT_EQ(fault.diagnostics.size(), 1u);
  EXPECT_EQ(fault.diagnostics[0].klass, "data race");
  EXPECT_EQ(fault.diagnostics[0].line_text, ".target sm_70");
  EXPECT_EQ(right(), 1u);
}

TEST_F(IsolatedTest, PassesInputErrorsWithTheirPlace) {
  try {
    run("input_error");
    ADD_FAILURE() << "was answered";
  } catch (const diagnostics::InputError& error) {
    const diagnostics::Diagnostic& d = error.diagnostics().at(0);
    EXPECT_EQ(d.klass, "undefined symbol");
    EXPECT_THAT(d.file, HasSubstr("vector_add.json"));
    EXPECT_EQ(d.position, (diagnostics::Position{2, 12}));
    EXPECT_EQ(d.line_text, "  \"entry\": \"vector_add\",");
  }
  right();
}

TEST_F(IsolatedTest, ContainsCrashes) {
  struct Expected {
    const char* mode;
    const char* reason;
  };
  const Expected all[] = {{"crash", "SIGSEGV"},
                          {"stack", "SIGSEGV"},
                          {"abort", "was killed by SIGABRT: free(): invalid pointer"},
                          {"exit", "exited with status 7 without an answer"},
                          {"throw_other", "SIGABRT"}};
  for (const Expected& expected : all) {
    Refusal refusal = refused(expected.mode);
    EXPECT_EQ(refusal.kind, Kind::kCrash) << expected.mode;
    // A sanitizer turns a fatal signal into its own report and an exit status.
    if (kLimitsWork) {
      EXPECT_THAT(refusal.reason, HasSubstr(expected.reason)) << expected.mode;
    }
    EXPECT_EQ(right(), 1u) << "after " << expected.mode;
  }
}

TEST_F(IsolatedTest, TakesHalfAnAnswerForACrash) {
  Refusal refusal = refused("half_then_die");  // claims to answer request 1, which this is
  EXPECT_EQ(refusal.kind, Kind::kCrash);
  EXPECT_THAT(refusal.reason, HasSubstr("exited with status 0 without an answer"));
  EXPECT_EQ(right(), 1u);
}

TEST_F(IsolatedTest, RefusesNonsense) {
  struct Expected {
    const char* mode;
    const char* reason;
  };
  const Expected all[] = {{"garbage", "no frame"},
                          {"impossible_length", "impossible length"},
                          {"other_id", "nobody asked for"},
                          {"impossible_event", "impossible event"},
                          {"throw", "an internal matter"}};
  for (const Expected& expected : all) {
    Refusal refusal = refused(expected.mode);
    EXPECT_EQ(refusal.kind, Kind::kError) << expected.mode;
    EXPECT_THAT(refusal.reason, HasSubstr(expected.reason)) << expected.mode;
    EXPECT_EQ(right(), 1u) << "after " << expected.mode;
  }
}

TEST_F(ImpatientIsolated, EndsWorkersThatHang) {
  for (const char* mode : {"hang", "spin", "half_header"}) {
    Refusal refusal = refused(mode);
    EXPECT_EQ(refusal.kind, Kind::kTimeout) << mode;
    EXPECT_THAT(refusal.reason, HasSubstr("1.5 s")) << mode;
    EXPECT_EQ(right(), 1u) << "after " << mode;
  }
}

TEST_F(IsolatedTest, IgnoresWhatTheWorkerPrints) {
  for (const char* mode : {"print", "noisy"}) {
    Outcome outcome = run(mode);
    EXPECT_TRUE(std::holds_alternative<Execution>(outcome)) << mode;
  }
  EXPECT_EQ(right(), 3u);
}

TEST_F(IsolatedTest, ReplacesAWorkerThatDiedOrSpokeBetweenRequests) {
  for (const char* mode : {"dies_idle", "late"}) {
    Outcome outcome = run(mode);
    EXPECT_TRUE(std::holds_alternative<Execution>(outcome)) << mode;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(right(), 1u) << "after " << mode;
  }
}

TEST(IsolatedMemory, IsLimited) {
  if (!kLimitsWork) GTEST_SKIP() << "the address space of a sanitized worker cannot be limited";
  auto executor = isolate({WARPLOCK_TEST_WORKER}, 60, uint64_t{1} << 30);
  Outcome outcome = executor->run(vector_add(), launch_of("allocate"), trace::Level::kOff);
  ASSERT_TRUE(std::holds_alternative<Refusal>(outcome));
  EXPECT_EQ(std::get<Refusal>(outcome).kind, Kind::kError);
  EXPECT_EQ(std::get<Refusal>(outcome).reason, "out of memory");
  outcome = executor->run(vector_add(), launch_of("right"), trace::Level::kMemory);
  EXPECT_TRUE(std::holds_alternative<Execution>(outcome));
}

TEST(IsolatedStart, SaysWhyThereIsNoWorker) {
  auto refusal_of = [](std::vector<std::string> command) {
    auto executor = isolate(std::move(command), 60);
    Outcome outcome = executor->run(vector_add(), launch_of("right"), trace::Level::kOff);
    return std::get<Refusal>(outcome);
  };
  EXPECT_EQ(refusal_of({"/nonexistent/worker"}).kind, Kind::kError);
  EXPECT_THAT(refusal_of({"/nonexistent/worker"}).reason, HasSubstr("No such file"));
  EXPECT_EQ(refusal_of({}).kind, Kind::kError);
  EXPECT_EQ(refusal_of({"/bin/echo", "hello"}).kind, Kind::kError);
  EXPECT_THAT(refusal_of({"/bin/echo", "hello"}).reason, HasSubstr("no frame"));
  EXPECT_EQ(refusal_of({WARPLOCK_TEST_WORKER, "--die"}).kind, Kind::kCrash);
  EXPECT_THAT(refusal_of({WARPLOCK_TEST_WORKER, "--die"}).reason,
              HasSubstr("exited with status 127 without an answer: libthing.so"));
  EXPECT_EQ(isolate({"/bin/false", "reference"}, 60)->name(), "reference");
}

TEST(IsolatedThreads, TakeTurns) {
  auto executor = isolate({WARPLOCK_TEST_WORKER}, 60);
  Program program = vector_add();
  Launch launch = launch_of("right");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 25; ++repeat) {
        Outcome outcome = executor->run(program, launch, trace::Level::kMemory);
        EXPECT_TRUE(std::holds_alternative<Execution>(outcome));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Isolated, LeavesNoProcessBehind) {
  {
    auto executor = isolate({WARPLOCK_TEST_WORKER}, 0.2);
    for (const char* mode : {"right", "crash", "hang", "garbage", "right"}) {
      executor->run(vector_add(), launch_of(mode), trace::Level::kOff);
    }
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace warplock::executor
