// Every machine operation on the whole machine's layers, four lanes at a time: corner pairs and
// random operands, every token against the emulator.

#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model_exec/run_check.h"
#include "model_exec/sample_programs.h"

namespace warplock::model_exec {
namespace {

using circuit::MachineBlock;
using circuit::MachineOp;
using circuit::MachineProgram;

constexpr uint32_t kCorners[] = {0,          1,          2,          31,         32,
                                 33,         0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
                                 0xffffffff, 0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa};

/// WARPLOCK_CAMPAIGN_ROUNDS programs for each operation; one by default.
uint32_t rounds() {
  const char* text = std::getenv("WARPLOCK_CAMPAIGN_ROUNDS");
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

class OperationTest : public ::testing::TestWithParam<uint32_t> {};

/// Eight blocks of four instructions on random registers, by two warps. r1 to r9 hold operands,
/// each slot has a destination of its own, so every result is seen.
MachineProgram program_of(MachineOp op, std::mt19937_64& random) {
  MachineProgram program;
  auto operand = [&](MachineOp of, int which) -> uint32_t {
    bool amount =
        which == 1 && (of == MachineOp::kShl || of == MachineOp::kShrU || of == MachineOp::kShrS);
    if (amount && random() % 4 != 0) return static_cast<uint32_t>(random() % 34);
    if (random() % 2 == 0) return kCorners[random() % std::size(kCorners)];
    return static_cast<uint32_t>(random());
  };
  program.warp_lanes = {15, static_cast<uint8_t>(1 + random() % 15)};
  for (uint32_t warp = 0; warp < 2; ++warp) {
    for (uint32_t reg = 1; reg <= 9; ++reg) {
      circuit::InitialRegister initial{warp, reg, {}};
      for (uint32_t& lane : initial.lanes) lane = operand(op, static_cast<int>((reg - 1) / 3));
      if (random() % 3 == 0) initial.lanes[1] = initial.lanes[0];  // equal lanes, for match
      program.registers.push_back(initial);
    }
  }
  for (uint32_t i = 0; i < 8; ++i) program.memory.push_back(operand(op, 0));
  constexpr uint32_t kBlocks = 8;
  for (uint32_t number = 0; number < kBlocks; ++number) {
    MachineBlock block;
    for (uint32_t slot = 0; slot < 4; ++slot) {
      auto one = [&](uint32_t first) { return testing::reg(first + random() % 3); };
      circuit::MachineInstruction made = testing::instruction(op, one(1), one(4), one(7));
      bool memory = op == MachineOp::kLd || op == MachineOp::kSt;
      if (memory) {
        made.a = slot > 0 && random() % 2 ? testing::thread() : testing::reg(0);
        made.b = testing::immediate(static_cast<uint32_t>(random() % 2048));
      }
      if (op == MachineOp::kSt && slot < 3) made.op = MachineOp::kAdd;
      bool from_c = made.op != MachineOp::kMad && made.op != MachineOp::kSt;
      made.predicate_from_c = from_c && random() % 2 == 0;
      bool can_guard = made.predicate_from_c && made.op != MachineOp::kMul;
      made.guarded = can_guard && random() % 4 == 0;
      made.guard_negated = made.guarded && random() % 2 == 0;
      if (made.op != MachineOp::kSt) made.destination = static_cast<uint8_t>(10 + slot);
      block.slots.push_back(made);
    }
    block.taken = block.not_taken = number + 1 < kBlocks ? number + 1 : circuit::kExit;
    program.blocks.push_back(block);
  }
  return program;
}

TEST_P(OperationTest, EveryResultIsTheEmulators) {
  auto op = static_cast<MachineOp>(GetParam());
  const BuiltMachine& built = default_machine();
  for (Precision precision : {Precision::kBfloat16, Precision::kFloat32}) {
    SparseModel model(built.tensors, {{precision, 0, 1}, false});
    std::mt19937_64 random(GetParam() + 100);
    for (uint32_t round = 0; round < rounds(); ++round) {
      EXPECT_EQ(compare_run(model, built.vocabulary, program_of(op, random), 100000), "")
          << spelling(op) << " round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperationTest, ::testing::Range(0u, circuit::kMachineOps),
                         [](const auto& parameter) {
                           std::string name(spelling(static_cast<MachineOp>(parameter.param)));
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace warplock::model_exec
