#include "circuit/emulator.h"

#include <gtest/gtest.h>

#include "circuit/plain_machine.h"

namespace warplock::circuit {
namespace {

using Kind = MachineOperand::Kind;

MachineOperand reg(uint32_t r) {
  return {Kind::kRegister, r};
}
MachineOperand slot(uint32_t s) {
  return {Kind::kForward, s};
}
MachineOperand number(uint32_t n) {
  return {Kind::kImmediate, n};
}
MachineOperand thread() {
  return {Kind::kThread, 0};
}

MachineInstruction make(MachineOp op, MachineOperand a, MachineOperand b, MachineOperand c = {},
                        std::optional<uint8_t> to = std::nullopt) {
  MachineInstruction i;
  i.op = op;
  i.a = a;
  i.b = b;
  i.c = c;
  i.destination = to;
  return i;
}

MachineBlock block(std::vector<std::optional<MachineInstruction>> slots, uint32_t next) {
  MachineBlock b;
  b.slots = std::move(slots);
  b.slots.resize(4);
  b.taken = b.not_taken = next;
  return b;
}

std::string describe(const Step& s) {
  return "kind " + std::to_string(static_cast<int>(s.kind)) + " block " + std::to_string(s.block) +
         " warp " + std::to_string(s.warp) + " mask " + std::to_string(s.mask) + " slot " +
         std::to_string(s.slot) + " index " + std::to_string(s.index);
}

TEST(Emulator, GivesTheStepsOfThePlainMachine) {
  uint64_t executed = 0, records = 0, releases = 0, ctas = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const MachineProgram program = random_program(seed);
    constexpr size_t kMost = 300;
    const std::vector<Step> expected = run_plainly(program, kMost);
    Emulator emulator(program);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Step step = emulator.next();
      ASSERT_EQ(step, expected[i]) << "seed " << seed << ", step " << i << ": " << describe(step)
                                   << ", expected " << describe(expected[i]);
      executed += step.kind == Step::Kind::kExec;
      records += step.kind == Step::Kind::kMemory;
      releases += step.release;
      ctas += step.kind == Step::Kind::kCta || step.kind == Step::Kind::kCtaRow;
      // What a store beyond memory leaves there is no longer the machine's.
      if (emulator.store_out_of_range()) break;
    }
  }
  EXPECT_GT(executed, 100000u);
  EXPECT_GT(records, 10000u);
  EXPECT_GT(releases, 300u);
  EXPECT_GT(ctas, 300u);
}

TEST(Emulator, RunsSeveralLanesOfADotProduct) {
  MachineProgram program;
  program.blocks = {
      block({make(MachineOp::kShl, thread(), number(2)), make(MachineOp::kLd, slot(0), number(0)),
             make(MachineOp::kLd, slot(0), number(16)),
             make(MachineOp::kMul, slot(1), slot(2), {}, 2)},
            1),
      block({make(MachineOp::kLd, reg(0), number(64)), make(MachineOp::kAdd, slot(0), reg(2)),
             std::nullopt, make(MachineOp::kSt, reg(0), number(64), slot(1))},
            kExit)};
  program.blocks[1].serial = true;
  program.memory = {1, 2, 3, 0, 4, 5, 6};
  program.warp_lanes = {7};
  Emulator emulator(program);
  ASSERT_TRUE(emulator.run(100));
  EXPECT_EQ(emulator.memory()[16], 32u);
  EXPECT_EQ(emulator.blocks(), 4u) << "once together, then lane by lane";
}

TEST(Emulator, RoutesStoresByBanksAndLetsTheLastLaneWin) {
  MachineProgram program;
  // Lanes 0 to 3 store 100 + lane: lanes 0 and 2 into one word, 1 and 3 into another of that bank.
  program.blocks = {
      block({make(MachineOp::kAnd, thread(), number(1)), make(MachineOp::kShl, slot(0), number(4)),
             make(MachineOp::kAdd, thread(), number(100)),
             make(MachineOp::kSt, slot(1), number(8), slot(2))},
            kExit)};
  program.warp_lanes = {15};
  Emulator emulator(program);
  EXPECT_EQ(emulator.next().kind, Step::Kind::kExec);
  for (uint32_t record = 0; record < 4; ++record) {
    const Step step = emulator.next();
    EXPECT_EQ(step.kind, Step::Kind::kMemory);
    EXPECT_EQ(step.slot, 4 + record);
    EXPECT_EQ(step.mask, 4u) << "bank 2";
    EXPECT_EQ(step.data[2], 100 + record);
    EXPECT_EQ(step.rows[2], record % 2);
  }
  EXPECT_EQ(emulator.next().kind, Step::Kind::kHalt);
  EXPECT_EQ(emulator.memory()[2], 102u);
  EXPECT_EQ(emulator.memory()[6], 103u);
}

TEST(Emulator, ReadsZeroBeyondMemoryAndNoticesStoresThere) {
  MachineProgram program;
  program.spec.memory_rows = 10;
  program.blocks = {block({make(MachineOp::kLd, reg(0), number(160), {}, 1),
                           make(MachineOp::kLd, reg(0), number(159), {}, 2), std::nullopt,
                           make(MachineOp::kSt, reg(0), number(160), slot(1))},
                          kExit)};
  program.memory.assign(40, 7);
  program.warp_lanes = {1};
  Emulator emulator(program);
  EXPECT_FALSE(emulator.store_out_of_range());
  ASSERT_TRUE(emulator.run(10));
  EXPECT_EQ(emulator.register_of(0, 0, 1), 0u);
  EXPECT_EQ(emulator.register_of(0, 0, 2), 7u);
  EXPECT_TRUE(emulator.store_out_of_range());
}

TEST(Emulator, KnowsItsStateAgain) {
  MachineProgram program;
  program.blocks = {block({make(MachineOp::kXor, reg(1), number(1), {}, 1)}, 0)};
  program.warp_lanes = {1};
  Emulator emulator(program);
  const Emulator start = emulator;
  EXPECT_FALSE(emulator.run(1));
  EXPECT_FALSE(emulator.same_state(start));
  EXPECT_FALSE(emulator.run(1));
  EXPECT_TRUE(emulator.same_state(start));
}

TEST(Emulator, StoresWhatTheResultsSay) {
  MachineProgram program;
  program.blocks = {block({make(MachineOp::kAdd, thread(), number(5)), std::nullopt, std::nullopt,
                           make(MachineOp::kSt, reg(0), number(12), slot(0))},
                          kExit)};
  program.warp_lanes = {2};
  Emulator emulator(program);
  emulator.next();
  EXPECT_EQ(emulator.results()[3][1].result, 6u);
  EXPECT_EQ(emulator.results()[3][1].address, 12u);
  EXPECT_TRUE(emulator.results()[3][1].executed);
  EXPECT_FALSE(emulator.results()[3][0].executed) << "not in the mask";
}

}  // namespace
}  // namespace warplock::circuit
