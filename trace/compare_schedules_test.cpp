// Different schedules of one program must agree, as far as PTX says that they do; faults in any of
// them must be found.
#include <gtest/gtest.h>

#include "trace/compare.h"
#include "trace/explain.h"
#include "trace/spelling.h"
#include "trace/tiny_gpu.h"
#include "trace/tiny_kernels.h"

namespace warplock::trace {
namespace {

using namespace tiny_kernels;

struct Case {
  const char* name;
  const std::string* program;
  uint32_t ctas, threads;
  bool order_dependent;  ///< some schedules differ
};

const Case kCases[] = {
    {"plain", &kPlain, 2, 4, false},
    {"tickets", &kTickets, 1, 6, true},
    {"lock", &kLock, 1, 4, true},
    {"histogram", &kHistogram, 2, 6, true},
    {"last block", &kLastBlock, 3, 3, true},
    {"flag", &kFlag, 1, 4, true},
};

TinyLaunch launch_of(const Case& c, uint64_t seed) {
  TinyLaunch launch;
  launch.ctas = c.ctas;
  launch.threads = c.threads;
  launch.seed = seed;
  launch.memory["counter"] = {0};
  launch.memory["lock"] = {0};
  launch.memory["last"] = {0};
  launch.memory["result"] = std::vector<uint32_t>(32, 0);
  return launch;
}

std::string explained(const Trace& left, const Trace& right, const Comparison& comparison) {
  return comparison.divergence ? explain(left, right, *comparison.divergence, {}) : "agrees";
}

class Schedules : public testing::TestWithParam<Case> {};

TEST_P(Schedules, AgreeAtEveryLevel) {
  uint64_t differ = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    TinyLaunch a = launch_of(GetParam(), seed), b = launch_of(GetParam(), seed + 100);
    b.base = 0x7000000000;
    if (seed % 3 == 1) a.level = Level::kMemory;
    if (seed % 3 == 2) a.level = b.level = Level::kMemory;
    Trace left = run_tiny(*GetParam().program, a), right = run_tiny(*GetParam().program, b);
    Comparison comparison = compare(left, right);
    ASSERT_FALSE(comparison.divergence) << "seed " << seed << '\n'
                                        << explained(left, right, comparison);
    EXPECT_GT(comparison.compared_events, 0u);
    differ += comparison.order_dependent_events;
  }
  EXPECT_EQ(differ > 0, GetParam().order_dependent);
}

TEST_P(Schedules, AgreeWithoutPtxOnOneSide) {
  uint64_t differ = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    TinyLaunch a = launch_of(GetParam(), seed), b = launch_of(GetParam(), seed + 100);
    b.base = 0x7000000000;
    Trace left = run_tiny(*GetParam().program, a);
    Trace right = without_ptx(run_tiny(*GetParam().program, b));
    for (bool swap : {false, true}) {
      Comparison comparison = swap ? compare(right, left) : compare(left, right);
      ASSERT_FALSE(comparison.divergence)
          << "seed " << seed << (swap ? " swapped\n" : "\n")
          << explained(swap ? right : left, swap ? left : right, comparison);
      EXPECT_GT(comparison.compared_events + comparison.order_dependent_events, 0u);
      differ += comparison.order_dependent_events;
    }
  }
  if (!GetParam().order_dependent) {
    EXPECT_EQ(differ, 0u);
  }
}

TEST_P(Schedules, AgreeWithThemselvesInEveryEvent) {
  TinyLaunch launch = launch_of(GetParam(), 7);
  Trace trace = run_tiny(*GetParam().program, launch);
  Comparison comparison = compare(trace, trace);
  EXPECT_FALSE(comparison.divergence);
  EXPECT_EQ(comparison.compared_events, trace.events.size());
  EXPECT_EQ(comparison.order_dependent_events, 0u);
}

/// An executor whose atomics are wrong once in a while must be found, however open their order is.
class AtomicSchedules : public testing::TestWithParam<Case> {};
TEST_P(AtomicSchedules, AWrongAtomicIsFound) {
  for (uint64_t seed = 1; seed < 30; ++seed) {
    TinyLaunch a = launch_of(GetParam(), seed), b = launch_of(GetParam(), seed + 100);
    uint64_t count = 0;
    // The third atomic finds another old value than the location holds.
    b.fault = [&](Event& event) {
      if (event.kind == EventKind::kAtomic && ++count == 3) event.old += 2;
    };
    Trace left = run_tiny(*GetParam().program, a);
    // A lock that is taken twice or never may hang the program: no trace, nothing to compare.
    Trace right;
    try {
      right = run_tiny(*GetParam().program, b);
    } catch (const std::runtime_error&) {
      continue;
    }
    EXPECT_TRUE(compare(left, right).divergence) << "seed " << seed;
    EXPECT_TRUE(compare(right, left).divergence) << "seed " << seed;
    EXPECT_TRUE(compare(left, without_ptx(right)).divergence) << "seed " << seed;
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::ValuesIn(kCases), case_name);
INSTANTIATE_TEST_SUITE_P(All, AtomicSchedules, testing::ValuesIn(kCases + 1, kCases + 5),
                         case_name);

/// A change of what an order-dependent program computes from values that are not.
TEST(Faults, AreNotExcusedByTicketsThatTheyDoNotDependOn) {
  constexpr uint32_t kMultiply = 17, kStore = 20;
  Case tickets = kCases[1];
  for (uint64_t seed = 1; seed < 30; ++seed) {
    TinyLaunch a = launch_of(tickets, seed), b = launch_of(tickets, seed + 100);
    b.fault = [&](Event& event) {
      // mul.u32 %r4, %r3, 3 in thread 2: comes after the ticket, but from `in` alone.
      if (event.instruction == kMultiply && event.kind == EventKind::kRegister &&
          event.thread == 2) {
        event.value ^= 4;
      }
    };
    for (Level level : {Level::kRegisters, Level::kMemory}) {
      a.level = b.level = level;
      Trace left = run_tiny(kTickets, a), right = run_tiny(kTickets, b);
      Comparison comparison = compare(left, right);
      ASSERT_TRUE(comparison.divergence) << "seed " << seed;
      EXPECT_EQ(comparison.divergence->thread, 2u);
      ASSERT_TRUE(comparison.divergence->left);
      EXPECT_EQ(comparison.divergence->left->instruction,
                level == Level::kRegisters ? kMultiply : kStore);
    }
  }
}

TEST(Faults, ARegisterThatIsEqualAgainMustStayRight) {
  for (uint64_t seed = 1; seed < 30; ++seed) {
    TinyLaunch a = launch_of(kCases[1], seed), b = launch_of(kCases[1], seed + 100);
    b.fault = [&](Event& event) {
      // add.u32 %r2, %r2, 1, after %r2 held the ticket and then was set to 1.
      if (event.instruction == 24 && event.thread == 3) event.value += 1;
    };
    Trace left = run_tiny(kTickets, a), right = run_tiny(kTickets, b);
    ASSERT_EQ(left.instructions[24].text, "add.u32 %r2, %r2, 1");
    EXPECT_TRUE(compare(left, right).divergence) << "seed " << seed;
  }
}

TEST(Faults, ABarrierThatLetsThreadsThroughIsFound) {
  for (uint64_t seed = 1; seed < 30; ++seed) {
    TinyLaunch a = launch_of(kCases[0], seed), b = launch_of(kCases[0], seed + 100);
    b.ignore_barriers = true;
    Trace left = run_tiny(kPlain, a), right = run_tiny(kPlain, b);
    EXPECT_TRUE(compare(left, right).divergence) << "seed " << seed;
    EXPECT_TRUE(compare(right, left).divergence) << "seed " << seed;
  }
}

TEST(Faults, ALoadOfWhatWasNeverThereIsFoundWhereTheOrderIsOpen) {
  for (uint64_t seed = 1; seed < 30; ++seed) {
    TinyLaunch a = launch_of(kCases[2], seed), b = launch_of(kCases[2], seed + 100);
    uint64_t loads = 0;
    b.fault = [&](Event& event) {
      if (event.kind == EventKind::kLoad && ++loads == 3) event.value += 1;
    };
    Trace left = run_tiny(kLock, a), right = run_tiny(kLock, b);
    EXPECT_TRUE(compare(left, right).divergence) << "seed " << seed;
    EXPECT_TRUE(compare(right, left).divergence) << "seed " << seed;
  }
}

}  // namespace
}  // namespace warplock::trace
