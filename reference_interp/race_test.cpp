#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/test_support.h"

/// Data races that must be found, and programs without one that must pass, in every schedule.
namespace warplock::reference_interp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace testing;

constexpr const char* kShared = ".shared .align 4 .b32 s[64];";
/// %r30 = address of s, %r31 = address of s[tid], %rd10 = address of the thread's word of p0.
constexpr const char* kAddresses =
    "mov.u32 %r30, s;\nshl.b32 %r31, %tid_, 2;\nadd.u32 %r31, %r30, %r31;\n"
    "mul.wide.u32 %rd10, %tid_, 4;\nadd.u64 %rd10, %rd0, %rd10;\n";

std::string shared_kernel(std::string_view body) {
  return kernel_of(1, fmt::format("{}{}", kAddresses, body), kShared);
}

class Races : public ::testing::TestWithParam<uint32_t> {
 protected:
  executor::Launch launch(uint32_t threads, uint32_t ctas = 1) const {
    executor::Launch launch =
        launch_of(GetParam(), threads, {buffer("out", std::vector<uint32_t>(256))});
    launch.grid[0] = ctas;
    return launch;
  }
  void expect_race(const std::string& ptx, const executor::Launch& wanted) const {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Options options;
      options.permute_schedule = seed != 0;
      options.seed = seed;
      EXPECT_EQ(fault_of(ptx, wanted, options).klass, "data race") << "seed " << seed << ptx;
    }
  }
  void expect_none(const std::string& ptx, const executor::Launch& wanted) const {
    std::vector<uint32_t> first;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      Options options;
      options.permute_schedule = seed != 0;
      options.seed = seed;
      const auto words = output_of(completes(ptx, wanted, trace::Level::kOff, options), "out");
      if (seed == 0) first = words;
      EXPECT_EQ(words, first) << "seed " << seed;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, Races, ::testing::Values(4u, 32u),
                         [](const auto& tested) { return fmt::format("w{}", tested.param); });

TEST_P(Races, NamesBothSides) {
  const std::string ptx = shared_kernel(
      "setp.eq.u32 %p1, %tid_, 0;\n@%p1 st.shared.u32 [%r30], 1;\n"
      "setp.eq.u32 %p2, %tid_, 33;\n@%p2 ld.shared.u32 %r1, [%r30];");
  const auto outcome = run(ptx, launch(34));
  const auto* refusal = std::get_if<executor::Refusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  ASSERT_EQ(refusal->diagnostics.size(), 2u);
  const uint32_t store = line_of(ptx, "@%p1 st.shared");
  const uint32_t load = line_of(ptx, "@%p2 ld.shared");
  EXPECT_EQ(refusal->diagnostics[0].klass, "data race");
  EXPECT_EQ(refusal->diagnostics[0].position.line, load);
  EXPECT_THAT(refusal->diagnostics[0].message,
              AllOf(HasSubstr("thread 33 (33,0,0) of CTA 0"), HasSubstr("loads bytes 0 to 3"),
                    HasSubstr("shared 's'"), HasSubstr("thread 0 (0,0,0) of CTA 0"),
                    HasSubstr(fmt::format("line {}", store))));
  EXPECT_EQ(refusal->diagnostics[1].severity, diagnostics::Severity::kNote);
  EXPECT_EQ(refusal->diagnostics[1].position.line, store);
}

TEST_P(Races, TwoStores) {
  expect_race(shared_kernel("st.shared.u32 [%r30], %tid_;"), launch(2));
  expect_race(shared_kernel("st.shared.u32 [%r30], 1;"), launch(2));        // the same value too
  expect_race(kernel_of(1, "st.global.u32 [%rd0], %tid_;"), launch(1, 2));  // two CTAs
}

TEST_P(Races, StoreAfterOthersLoads) {
  const std::string rotate =
      "st.shared.u32 [%r31], %tid_;\nbar.sync 0;\nadd.u32 %r1, %tid_, 1;\nand.b32 %r1, %r1, 31;\n"
      "shl.b32 %r1, %r1, 2;\nadd.u32 %r1, %r30, %r1;\nld.shared.u32 %r2, [%r1];\n{}"
      "st.shared.u32 [%r31], %r2;\nld.shared.u32 %r3, [%r31];\nst.global.u32 [%rd10], %r3;";
  const auto with = [&](const char* between) {
    return shared_kernel(fmt::format(fmt::runtime(rotate), between));
  };
  expect_race(with(""), launch(32));
  expect_none(with("bar.sync 0;\n"), launch(32));
}

TEST_P(Races, ManyReadersThenOneOfThemWrites) {
  const std::string ptx = shared_kernel(
      "setp.eq.u32 %p1, %tid_, 0;\n@%p1 st.shared.u32 [%r30], 1;\nbar.sync 0;\n"
      "ld.shared.u32 %r1, [%r30];\nsetp.eq.u32 %p2, %tid_, 20;\n@%p2 st.shared.u32 [%r30], 2;");
  expect_race(ptx, launch(64));
}

TEST_P(Races, BytesOfOneWordAreApart) {
  expect_none(shared_kernel("add.u32 %r1, %r30, %tid_;\nst.shared.u8 [%r1], %tid_;\nbar.sync 0;\n"
                            "ld.shared.u8 %r2, [%r1];\nst.global.u32 [%rd10], %r2;"),
              launch(32));
  expect_race(shared_kernel("shr.u32 %r1, %tid_, 1;\nadd.u32 %r1, %r30, %r1;\n"
                            "st.shared.u8 [%r1], %tid_;"),
              launch(4));
}

TEST_P(Races, WarpSyncOrdersLanes) {
  const std::string exchange =
      "st.shared.u32 [%r31], %tid_;\n{}xor.b32 %r1, %tid_, 1;\nshl.b32 %r1, %r1, 2;\n"
      "add.u32 %r1, %r30, %r1;\nld.shared.u32 %r2, [%r1];\nst.global.u32 [%rd10], %r2;";
  const auto with = [&](const char* between) {
    return shared_kernel(fmt::format(fmt::runtime(exchange), between));
  };
  expect_none(with("bar.warp.sync 0xffffffff;\n"), launch(32));
  expect_race(with(""), launch(32));
  // Votes synchronise control, not memory.
  expect_race(with("vote.sync.all.pred %p1, 1, 0xffffffff;\n"), launch(32));
  // Pairs that synchronise by masks of their own.
  expect_none(with("and.b32 %r3, %tid_, 0x1e;\nmov.u32 %r4, %laneid;\nand.b32 %r4, %r4, 0x1e;\n"
                   "mov.u32 %r5, 3;\nshl.b32 %r5, %r5, %r4;\nbar.warp.sync %r5;\n"),
              launch(32));
}

TEST_P(Races, NamedBarrierOrdersItsThreadsOnly) {
  // Threads 0 to 31 meet at barrier 1; 32 to 63 do not take part.
  const auto reads_from = [](const char* distance) {
    return shared_kernel(
        fmt::format("st.shared.u32 [%r31], %tid_;\nsetp.ge.u32 %p1, %tid_, 32;\n@%p1 bra END;\n"
                    "bar.sync 1, 32;\nxor.b32 %r1, %tid_, {};\nshl.b32 %r1, %r1, 2;\n"
                    "add.u32 %r1, %r30, %r1;\nld.volatile.shared.u32 %r2, [%r1];\n"
                    "st.global.u32 [%rd10], %r2;\nEND:",
                    distance));
  };
  expect_none(reads_from("31"), launch(64));
  EXPECT_THAT(fault_of(reads_from("32"), launch(64)).klass,
              ::testing::AnyOf("data race", "uninitialised"));
}

TEST_P(Races, ProducerArrivesConsumerWaits) {
  expect_none(shared_kernel("setp.ge.u32 %p1, %tid_, 32;\n@%p1 bra CONSUMER;\n"
                            "st.shared.u32 [%r31], %tid_;\nbar.arrive 1, 64;\nbra END;\n"
                            "CONSUMER:\nbar.sync 1, 64;\nld.shared.u32 %r1, [%r31+-128];\n"
                            "st.global.u32 [%rd10], %r1;\nEND:"),
              launch(64));
}

TEST_P(Races, AtomicsDoNotRaceButOrder) {
  expect_none(kernel_of(1, "red.global.add.u32 [%rd0], 1;"), launch(40, 3));
  // A lock between CTAs: everybody adds to a plain word under it.
  expect_none(kernel_of(1,
                        "ACQUIRE:\natom.global.cas.b32 %r1, [%rd0+4], 0, 1;\n"
                        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra ACQUIRE;\nmembar.gl;\n"
                        "ld.global.u32 %r2, [%rd0];\nadd.u32 %r2, %r2, 1;\n"
                        "st.global.u32 [%rd0], %r2;\nmembar.gl;\n"
                        "atom.global.exch.b32 %r3, [%rd0+4], 0;"),
              launch(9, 3));
  // One that forgets the lock.
  expect_race(kernel_of(1,
                        "setp.eq.u32 %p2, %tid_, 3;\n@%p2 bra INSIDE;\nACQUIRE:\n"
                        "atom.global.cas.b32 %r1, [%rd0+4], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
                        "@%p1 bra ACQUIRE;\nINSIDE:\nld.global.u32 %r2, [%rd0];\n"
                        "add.u32 %r2, %r2, 1;\nst.global.u32 [%rd0], %r2;\n@%p2 bra END;\n"
                        "atom.global.exch.b32 %r3, [%rd0+4], 0;\nEND:"),
              launch(4));
  expect_race(kernel_of(1,
                        "setp.eq.u32 %p1, %tid_, 0;\n@%p1 red.global.add.u32 [%rd0], 1;\n"
                        "@!%p1 ld.global.u32 %r1, [%rd0];"),
              launch(2));
}

TEST_P(Races, FlagByVolatileOrRelaxedAccesses) {
  const std::string flag =
      "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra PRODUCER;\nWAIT:\n{} %r1, "
      "[%rd0+4];\n"
      "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra WAIT;\nld.global.u32 %r2, [%rd0];\n"
      "st.global.u32 [%rd0+8], %r2;\nbra END;\nPRODUCER:\nst.global.u32 [%rd0], 99;\nmembar.gl;\n"
      "{} [%rd0+4], 1;\nEND:";
  const auto with = [&](const char* load, const char* store) {
    return kernel_of(1, fmt::format(fmt::runtime(flag), load, store));
  };
  expect_none(with("ld.volatile.global.u32", "st.volatile.global.u32"), launch(1, 2));
  expect_none(with("ld.acquire.gpu.global.u32", "st.release.gpu.global.u32"), launch(1, 2));
  EXPECT_EQ(fault_of(with("ld.global.u32", "st.global.u32"), launch(1, 2)).klass, "data race");
}

TEST_P(Races, LastCtaReadsWhatTheOthersWrote) {
  // The pattern of the CUDA sample threadFenceReduction, over more CTAs than knowledge is kept for.
  const std::string ptx = kernel_of(
      1,
      "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsetp.eq.u32 %p1, %tid_, 0;\n"
      "mad.lo.u32 %r3, %r1, 2, %tid_;\nmul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
      "st.global.u32 [%rd1+16], %r1;\nbar.sync 0;\nmembar.gl;\nmov.u32 %r30, s;\n"
      "@!%p1 bra MEET;\natom.global.add.u32 %r4, [%rd0], 1;\nadd.u32 %r4, %r4, 1;\n"
      "st.shared.u32 [%r30], %r4;\nMEET:\nbar.sync 0;\nld.shared.u32 %r5, [%r30];\n"
      "setp.ne.u32 %p2, %r5, %r2;\n@%p2 bra END;\nsetp.ne.u32 %p3, %tid_, 1;\n@%p3 bra END;\n"
      "mov.u32 %r6, 0;\nmov.u32 %r7, 0;\nmov.u64 %rd2, %rd0;\nSUM:\n"
      "ld.global.u32 %r8, [%rd2+16];\nadd.u32 %r6, %r6, %r8;\nadd.u64 %rd2, %rd2, 4;\n"
      "add.u32 %r7, %r7, 1;\nshl.b32 %r9, %r2, 1;\nsetp.lt.u32 %p4, %r7, %r9;\n@%p4 bra SUM;\n"
      "st.global.u32 [%rd0+8], %r6;\nEND:",
      kShared);
  expect_none(ptx, launch(2, 100));
}

}  // namespace
}  // namespace warplock::reference_interp
