// What an executor folds away has no register events, and says so.
#include <gtest/gtest.h>

#include <sstream>

#include "trace/compare.h"
#include "trace/store.h"
#include "trace/tiny_gpu.h"
#include "trace/tiny_kernels.h"

namespace warplock::trace {
namespace {

using tiny_kernels::kPlain;

TinyLaunch plain_launch() {
  TinyLaunch launch;
  launch.ctas = 2;
  launch.seed = 3;
  return launch;
}

TEST(Elided, RegisterEventsOfElidedInstructionsAreLeftOut) {
  const Trace left = run_tiny(kPlain, plain_launch());
  for (size_t elided = 0; elided < left.instructions.size(); ++elided) {
    Trace right = left;
    right.instructions[elided].elided = true;
    std::erase_if(right.events, [&](const Event& event) {
      return event.kind == EventKind::kRegister && event.instruction == elided;
    });
    for (bool swap : {false, true}) {
      const Comparison comparison = swap ? compare(right, left) : compare(left, right);
      EXPECT_FALSE(comparison.divergence) << left.instructions[elided].text;
      EXPECT_EQ(comparison.compared_events, right.events.size());
    }
    // Its other events still count, and so does everything else.
    right.events[right.events.size() / 2].value ^= 1;
    if (right.events[right.events.size() / 2].kind == EventKind::kExit) continue;
    EXPECT_TRUE(compare(left, right).divergence) << left.instructions[elided].text;
  }
}

TEST(Elided, MissingRegisterEventsAreFoundUnlessTheInstructionIsElided) {
  const Trace left = run_tiny(kPlain, plain_launch());
  Trace right = left;
  std::erase_if(right.events, [](const Event& event) {
    return event.kind == EventKind::kRegister && event.instruction == 1;
  });
  EXPECT_TRUE(compare(left, right).divergence);
}

TEST(Elided, IsStored) {
  Trace trace = run_tiny(kPlain, plain_launch());
  trace.instructions[2].elided = true;
  std::ostringstream out;
  write(out, trace);
  const Trace read_back =
      read(std::make_shared<diagnostics::SourceText>("stored.trace", out.str()));
  EXPECT_EQ(read_back.instructions, trace.instructions);
}

}  // namespace
}  // namespace warplock::trace
