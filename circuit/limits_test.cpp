// The machine's limits: what just fits, what is one past, and what is done about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "circuit/lowering.h"
#include "circuit/machine_exec.h"
#include "circuit/machine_test_support.h"

namespace warplock::circuit {
namespace {

using test_support::buffer;
using test_support::disagreement;
using test_support::launch_of;
using test_support::program_of;
using test_support::refusal;
using testing::HasSubstr;

/// out[thread] = what `body` leaves in %r0; %t is the thread, %p its place in `out`.
std::string kernel(const std::string& body, const std::string& declarations = "") {
  return R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %q<4>; .reg .b32 %r<64>, %t; .reg .b64 %p, %o;
)" + declarations +
         R"(mov.u32 %t, %tid.x; ld.param.u64 %p, [out]; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;
mov.u32 %r0, 1;
)" + body +
         "st.global.u32 [%p], %r0; ret; }\n";
}

executor::Launch launch(uint32_t threads, uint32_t words) {
  executor::Launch made = launch_of("k", {1, 1, 1}, {threads, 1, 1});
  made.arguments = {buffer("out", std::vector<uint32_t>(words, 3))};
  return made;
}

const Lowered& lowered_of(const LoweringResult& result) {
  EXPECT_TRUE(std::holds_alternative<Lowered>(result)) << std::get<DoesNotFit>(result).reason;
  return std::get<Lowered>(result);
}

/// `count` values, each made from memory, all wanted at the end, in the opposite order of their
/// making.
std::string many_values(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += fmt::format(
        "ld.global.u32 %r{0}, [%p]; mad.lo.u32 %r{0}, %r{0}, {1}, %t;\n"
        "st.global.u32 [%p], %r{0};\n",
        i, 2 * i + 1);
  }
  for (int i = count; i >= 1; --i) text += fmt::format("mad.lo.u32 %r0, %r0, 31, %r{};\n", i);
  return text;
}

TEST(Limits, RegistersSpillIntoMemory) {
  for (int count : {12, 16}) {
    const executor::Program program = program_of(kernel(many_values(count)));
    MachineSpec spec;
    const LoweringResult result = lower(program.module, launch(6, 6), spec);
    const Lowered& lowered = lowered_of(result);
    EXPECT_EQ(lowered.layout.words > 6, count > 12) << count << " values: " << lowered.layout.words;
    EXPECT_EQ(disagreement(program, launch(6, 6)), "") << count;
  }
}

TEST(Limits, TooManyRegistersAreRefusedByNumber) {
  MachineSpec spec;
  spec.registers = 2;
  EXPECT_THAT(refusal(program_of(kernel(many_values(3))), launch(4, 4), spec),
              testing::AnyOf(HasSubstr("registers a lane at once, the machine has 1"),
                             HasSubstr("blocks, the machine has 32")));
}

std::string stores(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("st.global.u32 [%p], {};\n", i);
  return text;
}

TEST(Limits, Blocks) {
  // A block holds one store; the kernel's own is the last.
  EXPECT_EQ(disagreement(program_of(kernel(stores(31))), launch(4, 4)), "");
  EXPECT_EQ(refusal(program_of(kernel(stores(32))), launch(4, 4)),
            "needs 33 blocks, the machine has 32");
  MachineSpec small;
  small.blocks = 4;
  EXPECT_EQ(disagreement(program_of(kernel(stores(3))), launch(4, 4), small), "");
  EXPECT_EQ(refusal(program_of(kernel(stores(4))), launch(4, 4), small),
            "needs 5 blocks, the machine has 4");
}

TEST(Limits, Slots) {
  for (uint32_t slots : {1u, 2u, 3u, 4u}) {
    MachineSpec spec;
    spec.slots = slots;
    const executor::Program program =
        program_of(kernel("add.u32 %r1, %t, 5; mul.lo.u32 %r1, %r1, %t; xor.b32 %r0, %r1, %t;\n"));
    EXPECT_EQ(disagreement(program, launch(4, 4), spec), "") << slots;
    const LoweringResult result = lower(program.module, launch(4, 4), spec);
    EXPECT_GE(lowered_of(result).program.blocks.size(), (5 + slots - 1) / slots);
  }
}

TEST(Limits, Warps) {
  EXPECT_EQ(disagreement(program_of(kernel("")), launch(32, 32)), "");
  EXPECT_EQ(refusal(program_of(kernel("")), launch(33, 33)),
            "needs 9 warps a CTA (33 threads), the machine has 8");
  MachineSpec small;
  small.warps = 2;
  EXPECT_EQ(disagreement(program_of(kernel("")), launch(8, 8), small), "");
  EXPECT_EQ(refusal(program_of(kernel("")), launch(9, 9), small),
            "needs 3 warps a CTA (9 threads), the machine has 2");
}

TEST(Limits, LanesOfAWarp) {
  executor::Launch wide = launch(4, 4);
  wide.warp_width = 32;
  EXPECT_EQ(refusal(program_of(kernel("")), wide), "needs warps of 32 lanes, the machine has 4");
}

TEST(Limits, Words) {
  EXPECT_EQ(disagreement(program_of(kernel("")), launch(4, 508)), "");
  EXPECT_EQ(refusal(program_of(kernel("")), launch(4, 509)),
            "needs 509 words of memory, the machine has 508");
  // Several CTAs: the last eight words are the machine's.
  executor::Launch grid = launch(4, 500);
  grid.grid = {2, 1, 1};
  const executor::Program only_one =
      program_of(kernel("mov.u32 %r1, %ctaid.x; setp.ne.u32 %q0, %r1, "
                        "0; @%q0 ret;\n"));
  EXPECT_EQ(disagreement(only_one, grid), "");
  grid.arguments = {buffer("out", std::vector<uint32_t>(501, 3))};
  EXPECT_EQ(refusal(only_one, grid), "needs 501 words of memory, the machine has 500");
}

std::string tell_cta() {
  return "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"
         "mad.lo.u32 %r4, %r2, 10, %r1; mad.lo.u32 %r4, %r3, 100, %r4;\n"
         "cvt.u64.u32 %o, %r4; mad.wide.u32 %p, %r4, 0, %p;\n"
         "atom.global.add.u32 %r0, [%p], %r4; ret;\n";
}

TEST(Limits, Ctas) {
  for (const std::array<uint32_t, 3>& grid :
       {std::array<uint32_t, 3>{256, 1, 1}, {3, 2, 4}, {1, 16, 16}, {2, 256, 1}, {1, 1, 256}}) {
    executor::Launch many = launch(1, 1);
    many.grid = grid;
    EXPECT_EQ(disagreement(program_of(kernel(tell_cta())), many), "")
        << grid[0] << " x " << grid[1] << " x " << grid[2];
  }
  executor::Launch many = launch(1, 1);
  many.grid = {257, 1, 1};
  EXPECT_EQ(refusal(program_of(kernel(tell_cta())), many),
            "needs 257 x 1 CTAs, the machine runs up to 256 x 256");
  many.grid = {1, 16, 17};
  EXPECT_EQ(refusal(program_of(kernel(tell_cta())), many),
            "needs 1 x 272 CTAs, the machine runs up to 256 x 256");
}

TEST(Limits, ThreadsInThreeDimensions) {
  const executor::Program program =
      program_of(kernel("mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mad.lo.u32 %r0, %r1, 10, %t; "
                        "mad.lo.u32 %r0, %r2, 100, "
                        "%r0; mov.u64 %o, 0;\n"));
  for (const std::array<uint32_t, 3>& block :
       {std::array<uint32_t, 3>{3, 5, 2}, {2, 2, 8}, {1, 7, 3}}) {
    executor::Launch made = launch_of("k", {1, 1, 1}, block);
    made.arguments = {buffer("out", std::vector<uint32_t>(32, 3))};
    // Threads of equal %tid.x store into one word: only one may.
    const executor::Program one = program_of(
        kernel("mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mad.lo.u32 %r0, %r1, 10, %t; mad.lo.u32 "
               "%r0, %r2, 100, %r0; atom.global.max.u32 %r3, [%p], %r0; ret;\n"));
    EXPECT_EQ(disagreement(one, made), "");
  }
  (void)program;
}

TEST(Refusals, NameWhatIsMissing) {
  EXPECT_THAT(refusal(program_of(kernel("trap;\n")), launch(4, 4)), HasSubstr("traps"));
  EXPECT_THAT(refusal(program_of(kernel("mov.u32 %r0, %clock;\n")), launch(4, 4)),
              HasSubstr("%clock"));
}

TEST(Progress, AWaitForAHigherWarpIsNoticed) {
  // Thread 0 waits for what thread 7, in the next warp, stores.
  const executor::Program program = program_of(kernel(R"(
setp.eq.u32 %q0, %t, 7; @%q0 bra TELL; setp.ne.u32 %q1, %t, 0; @%q1 ret;
WAIT: ld.volatile.global.u32 %r0, [%p+28]; setp.ne.u32 %q2, %r0, 9; @%q2 bra WAIT;
bra DONE;
TELL: st.volatile.global.u32 [%p], 9; ret;
DONE:
)"));
  EXPECT_THAT(refusal(program, launch(8, 8)), HasSubstr("needs threads that all make progress"));
}

TEST(Progress, AnEndlessLoopIsNoticedOrCutOff) {
  const executor::Program still = program_of(kernel("L: bra L;\n"));
  EXPECT_THAT(refusal(still, launch(4, 4)), HasSubstr("make progress"));
  executor::Launch counting = launch(4, 4);
  counting.max_steps = 1000;
  const auto outcome = make_machine()->run(
      program_of(kernel("L: add.u32 %r0, %r0, 1; st.global.u32 [%p], %r0; bra L;\n")), counting,
      trace::Level::kOff);
  ASSERT_TRUE(std::holds_alternative<executor::Refusal>(outcome));
  EXPECT_EQ(std::get<executor::Refusal>(outcome).kind, executor::Refusal::Kind::kFault);
}

TEST(Input, ThatNoExecutorCouldTakeIsAnInputError) {
  executor::Launch other = launch(4, 4);
  other.entry = "nobody";
  EXPECT_THROW(make_machine()->run(program_of(kernel("")), other, trace::Level::kOff),
               diagnostics::InputError);
  executor::Launch more = launch(4, 4);
  more.arguments.push_back(test_support::scalar("n", 1));
  EXPECT_THROW(make_machine()->run(program_of(kernel("")), more, trace::Level::kOff),
               diagnostics::InputError);
}

}  // namespace
}  // namespace warplock::circuit
