#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/test_support.h"
#include "trace/compare.h"

/// Barriers, locks, divergence and calls; and that a run can be repeated.
namespace warplock::reference_interp {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using namespace testing;

class Schedule : public ::testing::TestWithParam<uint32_t> {
 protected:
  executor::Launch launch(uint32_t threads, uint32_t ctas = 1) const {
    executor::Launch launch =
        launch_of(GetParam(), threads, {buffer("out", std::vector<uint32_t>(256))});
    launch.grid[0] = ctas;
    return launch;
  }
  /// In order and in eleven drawn schedules.
  static std::vector<Options> schedules() {
    std::vector<Options> all(12);
    for (uint64_t seed = 1; seed < all.size(); ++seed) {
      all[seed].seed = seed;
      all[seed].permute_schedule = true;
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, Schedule, ::testing::Values(4u, 32u),
                         [](const auto& tested) { return fmt::format("w{}", tested.param); });

constexpr const char* kMyWord = "mul.wide.u32 %rd10, %tid_, 4;\nadd.u64 %rd10, %rd0, %rd10;\n";

TEST_P(Schedule, SpinLockBetweenLanes) {
  // The lane that holds the lock leaves the loop by another way than those that spin, so that a
  // machine which runs the spinning side first must let it go on.
  const std::string ptx =
      kernel_of(1,
                "AGAIN:\natom.global.cas.b32 %r1, [%rd0+4], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
                "@%p1 bra AGAIN;\nld.global.u32 %r2, [%rd0];\nadd.u32 %r2, %r2, 1;\n"
                "st.global.u32 [%rd0], %r2;\natom.global.exch.b32 %r3, [%rd0+4], 0;");
  for (const Options& options : schedules()) {
    const auto execution = completes(ptx, launch(70, 2), trace::Level::kOff, options);
    EXPECT_EQ(output_of(execution, "out")[0], 140u);
    EXPECT_LT(execution.steps, 2'000'000u);
  }
}

TEST_P(Schedule, ACtaWaitsForOneThatHasNotStarted) {
  const std::string ptx =
      kernel_of(1,
                "red.global.add.u32 [%rd0], 1;\nmov.u32 %r2, %nctaid.x;\nWAIT:\n"
                "ld.volatile.global.u32 %r1, [%rd0];\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra WAIT;");
  for (const Options& options : schedules()) {
    EXPECT_EQ(output_of(completes(ptx, launch(1, 20), trace::Level::kOff, options), "out")[0], 20u);
  }
}

TEST_P(Schedule, WaitingForThePlainStoreOfALaneBehind) {
  // A spin on a plain load is a race, so the step limit is not what ends it.
  const std::string ptx = kernel_of(
      1,
      "setp.eq.u32 %p1, %tid_, 0;\n@%p1 bra SET;\nWAIT:\nld.global.u32 %r1, [%rd0];\n"
      "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra WAIT;\nbra END;\nSET:\nst.global.u32 [%rd0], 1;\nEND:");
  EXPECT_EQ(fault_of(ptx, launch(2)).klass, "data race");
}

TEST_P(Schedule, BarrierCounts) {
  // Warps meet pairwise at two barriers, again and again.
  const std::string ptx = kernel_of(
      1,
      fmt::format("{}mov.u32 %r30, s;\nshl.b32 %r1, %tid_, 2;\nadd.u32 %r31, %r30, %r1;\n"
                  "xor.b32 %r2, %tid_, 32;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r32, %r30, %r2;\n"
                  "shr.u32 %r3, %tid_, 6;\nadd.u32 %r3, %r3, 1;\nmov.u32 %r4, %tid_;\n"
                  "mov.u32 %r5, 0;\nLOOP:\nst.shared.u32 [%r31], %r4;\nbar.sync %r3, 64;\n"
                  "ld.shared.u32 %r6, [%r32];\nbar.sync %r3, 64;\nmad.lo.u32 %r4, %r4, 3, %r6;\n"
                  "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 5;\n@%p1 bra LOOP;\n"
                  "st.global.u32 [%rd10], %r4;",
                  kMyWord),
      ".shared .align 4 .b32 s[128];");
  std::vector<uint32_t> values(256), next(256);
  for (uint32_t i = 0; i < 128; ++i) values[i] = i;
  for (int round = 0; round < 5; ++round) {
    for (uint32_t i = 0; i < 128; ++i) next[i] = values[i] * 3 + values[i ^ 32];
    values.swap(next);
  }
  for (const Options& options : schedules()) {
    EXPECT_EQ(output_of(completes(ptx, launch(128), trace::Level::kOff, options), "out"), values);
  }
}

TEST_P(Schedule, BarrierReductions) {
  const std::string ptx = kernel_of(
      1,
      fmt::format("{}setp.lt.u32 %p1, %tid_, 5;\nbar.red.popc.u32 %r1, 0, %p1;\n"
                  "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
                  "bar.red.popc.u32 %r2, 0, !%p1;\nselp.u32 %r3, 0x1000, 0, %p2;\n"
                  "selp.u32 %r4, 0x2000, 0, %p3;\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\n"
                  "shl.b32 %r2, %r2, 16;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%rd10], %r1;",
                  kMyWord));
  for (const Options& options : schedules()) {
    auto words = output_of(completes(ptx, launch(70), trace::Level::kOff, options), "out");
    EXPECT_THAT(std::vector<uint32_t>(words.begin(), words.begin() + 70),
                Each(65u << 16 | 0x2005u));
    // When all are true.
    words = output_of(completes(ptx, launch(5), trace::Level::kOff, options), "out");
    EXPECT_EQ(words[0], 0x3005u);
  }
}

TEST_P(Schedule, ExitedThreadsAreNotWaitedFor) {
  const std::string ptx = kernel_of(
      1, fmt::format("{}setp.lt.u32 %p1, %tid_, 7;\n@%p1 exit;\nbar.sync 0;\n"
                     "bar.warp.sync 0xffffffff;\nactivemask.b32 %r1;\npopc.b32 %r1, %r1;\n"
                     "st.global.u32 [%rd10], 1;\nbar.sync 0;",
                     kMyWord));
  for (const Options& options : schedules()) {
    const auto words = output_of(completes(ptx, launch(40), trace::Level::kOff, options), "out");
    for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(words[i], i < 7 ? 0u : 1u);
  }
}

TEST_P(Schedule, DivergentBarrier) {
  const std::string ptx = kernel_of(1,
                                    "setp.lt.u32 %p1, %tid_, 2;\n@%p1 bra LOW;\nbar.sync 1;\n"
                                    "bra END;\nLOW:\nbar.sync 0;\nEND:");
  for (const Options& options : schedules()) {
    const auto fault = fault_of(ptx, launch(4), options);
    EXPECT_EQ(fault.klass, "divergent barrier");
    const uint32_t a = line_of(ptx, "bar.sync 0"), b = line_of(ptx, "bar.sync 1");
    EXPECT_TRUE(fault.position.line == a || fault.position.line == b);
    EXPECT_THAT(fault.message,
                AllOf(HasSubstr("barrier 0"), HasSubstr("barrier 1"),
                      HasSubstr(fmt::format("line {}", a + b - fault.position.line))));
  }
}

TEST_P(Schedule, PartOfAWarpAtABarrierForEver) {
  const std::string ptx = kernel_of(1,
                                    "setp.lt.u32 %p1, %tid_, 2;\n@%p1 bra LOW;\n"
                                    "bar.warp.sync 0xf;\nbra END;\nLOW:\nbar.sync 0;\nEND:");
  const auto fault = fault_of(ptx, launch(4));
  EXPECT_EQ(fault.klass, "divergent barrier");
  EXPECT_THAT(fault.message,
              AllOf(HasSubstr(fmt::format("line {}", line_of(ptx, "bar.sync 0"))),
                    HasSubstr(fmt::format("line {}", line_of(ptx, "bar.warp.sync")))));
}

TEST_P(Schedule, Deadlock) {
  const std::string ptx = kernel_of(
      1,
      "setp.lt.u32 %p1, %tid_, 32;\n@%p1 bra LOW;\nbar.sync 1;\nbra END;\nLOW:\nbar.sync 2;\nEND:");
  for (const Options& options : schedules()) {
    const auto fault = fault_of(ptx, launch(64), options);
    EXPECT_EQ(fault.klass, "deadlock");
    EXPECT_THAT(fault.message, AllOf(HasSubstr("barrier 1"), HasSubstr("barrier 2")));
  }
  // A barrier for more threads than come.
  EXPECT_EQ(fault_of(kernel_of(1, "bar.sync 3, 256;"), launch(64)).klass, "deadlock");
}

TEST_P(Schedule, MismatchedCounts) {
  const std::string ptx = kernel_of(1,
                                    "setp.lt.u32 %p1, %tid_, 32;\n@%p1 bra LOW;\nbar.sync 1, 64;\n"
                                    "bra END;\nLOW:\nbar.sync 1, 96;\nEND:");
  EXPECT_EQ(fault_of(ptx, launch(64)).klass, "divergent barrier");
}

TEST_P(Schedule, UnalignedBarrierInDivergentCode) {
  const std::string ptx = kernel_of(
      1,
      fmt::format("{}setp.lt.u32 %p1, %tid_, 2;\n@%p1 bra LOW;\nbarrier.sync 0;\nbra END;\nLOW:\n"
                  "barrier.sync 0;\nEND:\nst.global.u32 [%rd10], 5;",
                  kMyWord));
  for (const Options& options : schedules()) {
    EXPECT_EQ(output_of(completes(ptx, launch(4), trace::Level::kOff, options), "out")[3], 5u);
  }
}

TEST_P(Schedule, RecursionWithDivergentReturns) {
  // f(n) = n == 0 ? 1 : n * f(n - 1) + f-local state kept across the call in a local variable.
  const std::string ptx = module_of(
      ".func (.reg .b32 out) f (.reg .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %m, %s;\n.reg .b64 %a;\n"
      ".local .align 4 .b32 kept[1];\nsetp.eq.u32 %q, n, 0;\n@%q bra BASE;\nmov.u64 %a, kept;\n"
      "st.local.u32 [%a], n;\nsub.u32 %m, n, 1;\ncall (%s), f, (%m);\nld.local.u32 %m, [%a];\n"
      "mad.lo.u32 out, %m, %s, %m;\nret;\nBASE:\nmov.u32 out, 1;\nret;\n}\n"
      ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<3>;\n"
      "ld.param.u64 %d0, [p0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\n"
      "add.u64 %d1, %d0, %d1;\nand.b32 %r1, %r0, 7;\ncall (%r2), f, (%r1);\n"
      "st.global.u32 [%d1], %r2;\nret;\n}");
  const std::function<uint32_t(uint32_t)> f = [&](uint32_t n) {
    return n == 0 ? 1 : n * f(n - 1) + n;
  };
  for (const Options& options : schedules()) {
    const auto words = output_of(completes(ptx, launch(40), trace::Level::kOff, options), "out");
    for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(words[i], f(i & 7)) << i;
  }
}

TEST_P(Schedule, ParametersInParamSpace) {
  // The calling convention that clang writes.
  const std::string ptx = module_of(
      ".func (.param .b64 r) g (.param .b32 x, .param .align 4 .b8 y[8])\n{\n.reg .b32 %a<4>;\n"
      ".reg .b64 %w;\nld.param.u32 %a0, [x];\nld.param.u32 %a1, [y];\nld.param.u32 %a2, [y+4];\n"
      "add.u32 %a0, %a0, %a1;\nmul.wide.u32 %w, %a0, %a2;\nst.param.b64 [r], %w;\nret;\n}\n"
      ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
      "ld.param.u64 %d0, [p0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 8;\n"
      "add.u64 %d1, %d0, %d1;\n{\n.param .b32 param0;\nst.param.b32 [param0], %r0;\n"
      ".param .align 4 .b8 param1[8];\nst.param.b32 [param1], 10;\nst.param.b32 [param1+4], 7;\n"
      ".param .b64 retval0;\ncall.uni (retval0), g, (param0, param1);\n"
      "ld.param.b64 %d2, [retval0];\n}\nst.global.u64 [%d1], %d2;\nret;\n}");
  const auto words = output_of(completes(ptx, launch(40)), "out");
  for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(words[2 * i], (i + 10) * 7);
}

TEST_P(Schedule, SameSeedSameRun) {
  const std::string ptx = kernel_of(
      1, fmt::format("{}atom.global.add.u32 %r1, [%rd0+512], 1;\nst.global.u32 [%rd10], %r1;",
                     kMyWord));
  const auto trace_with = [&](uint64_t seed, bool permute) {
    Options options;
    options.seed = seed;
    options.permute_schedule = permute;
    return completes(ptx, launch(64), trace::Level::kRegisters, options).trace.events;
  };
  EXPECT_EQ(trace_with(1, false), trace_with(1, false));
  EXPECT_EQ(trace_with(7, true), trace_with(7, true));
  EXPECT_NE(trace_with(7, true), trace_with(8, true));
}

TEST_P(Schedule, PermutedTracesCompareEqual) {
  // Divergent loops, shared memory and barriers; no atomics, so everything is comparable.
  const std::string ptx = kernel_of(
      1,
      fmt::format("{}mov.u32 %r30, s;\nshl.b32 %r1, %tid_, 2;\nadd.u32 %r31, %r30, %r1;\n"
                  "and.b32 %r2, %tid_, 7;\nmov.u32 %r3, 1;\nLOOP:\nsetp.eq.u32 %p1, %r2, 0;\n"
                  "@%p1 bra DONE;\nmad.lo.u32 %r3, %r3, 3, %r2;\nsub.u32 %r2, %r2, 1;\nbra LOOP;\n"
                  "DONE:\nst.shared.u32 [%r31], %r3;\nbar.sync 0;\nxor.b32 %r4, %tid_, 5;\n"
                  "shl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r30, %r4;\nld.shared.u32 %r5, [%r4];\n"
                  "st.global.u32 [%rd10], %r5;",
                  kMyWord),
      ".shared .align 4 .b32 s[64];");
  const auto reference = completes(ptx, launch(64), trace::Level::kRegisters);
  for (const Options& options : schedules()) {
    const auto other = completes(ptx, launch(64), trace::Level::kRegisters, options);
    EXPECT_EQ(other.steps, reference.steps);
    const trace::Comparison comparison = trace::compare(reference.trace, other.trace);
    EXPECT_FALSE(comparison.divergence.has_value());
    EXPECT_GT(comparison.compared_events, 1000u);
  }
}

}  // namespace
}  // namespace warplock::reference_interp
