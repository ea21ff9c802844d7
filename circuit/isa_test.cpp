#include "circuit/isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "circuit/isa_json.h"
#include "circuit/plain_machine.h"

namespace warplock::circuit {
namespace {

using testing::HasSubstr;
using Kind = MachineOperand::Kind;

/// One block with an instruction in each slot.
MachineProgram sound() {
  MachineProgram program;
  MachineBlock block;
  block.slots.resize(4);
  for (uint32_t s = 0; s < 4; ++s) {
    MachineInstruction i;
    i.op = s == 0 ? MachineOp::kEq : s == 3 ? MachineOp::kSt : MachineOp::kAdd;
    if (s < 3) i.destination = static_cast<uint8_t>(s + 1);
    block.slots[s] = i;
  }
  program.blocks = {block};
  program.warp_lanes = {15};
  return program;
}

std::string complaint(const MachineProgram& program) {
  try {
    validate(program);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Validate, AcceptsTheLimits) {
  EXPECT_EQ(complaint(sound()), "");
  MachineProgram program = sound();
  program.blocks.assign(32, program.blocks[0]);
  program.memory.resize(508);
  program.warp_lanes.assign(8, 15);
  program.ctas_x = program.ctas_y = 256;
  program.blocks[31].serial = true;
  EXPECT_EQ(complaint(program), "");
}

TEST(Validate, RefusesOnePastEachLimitAndEveryOtherFault) {
  const struct {
    const char* message;
    std::function<void(MachineProgram&)> spoil;
  } faults[] = {
      {"has 33 blocks, the machine has 32",
       [](MachineProgram& p) { p.blocks.assign(33, p.blocks[0]); }},
      {"no blocks", [](MachineProgram& p) { p.blocks.clear(); }},
      {"509 words of memory, the machine has 508", [](MachineProgram& p) { p.memory.resize(509); }},
      {"9 warps, the machine has 8", [](MachineProgram& p) { p.warp_lanes.assign(9, 1); }},
      {"no threads",
       [](MachineProgram& p) {
         p.warp_lanes = {0, 0};
       }},
      {"warp 0 has lanes", [](MachineProgram& p) { p.warp_lanes = {16}; }},
      {"257 x 1 CTAs", [](MachineProgram& p) { p.ctas_x = 257; }},
      {"1 x 257 CTAs", [](MachineProgram& p) { p.ctas_y = 257; }},
      {"must be 2 to 127", [](MachineProgram& p) { p.spec.memory_rows = 128; }},
      {"must be one of 1, 2, 4, 8", [](MachineProgram& p) { p.spec.warps = 3; }},
      {"must be one of 4", [](MachineProgram& p) { p.spec.lanes = 8; }},
      {"has 3 slots, the machine has 4", [](MachineProgram& p) { p.blocks[0].slots.resize(3); }},
      {"block 0, slot 1: operand a is r16",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->a = {Kind::kRegister, 16};
       }},
      {"block 0, slot 1: operand b refers to slot 1",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->b = {Kind::kForward, 1};
       }},
      {"refers to slot 0, which is not an earlier instruction",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->b = {Kind::kForward, 0};
         p.blocks[0].slots[0].reset();
       }},
      {"operand a is an immediate",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->a = {Kind::kImmediate, 1};
       }},
      {"operand c is an immediate",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->c = {Kind::kImmediate, 1};
       }},
      {"operand b is the thread",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->b = {Kind::kThread, 0};
       }},
      {"a store stands in the last slot",
       [](MachineProgram& p) {
         p.blocks[0].slots[2]->op = MachineOp::kSt;
         p.blocks[0].slots[2]->destination.reset();
       }},
      {"a store has no destination",
       [](MachineProgram& p) { p.blocks[0].slots[3]->destination = 5; }},
      {"the predicate refers to slot 2",
       [](MachineProgram& p) { p.blocks[0].slots[1]->predicate_slot = 2; }},
      {"from a slot and from operand c",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->predicate_slot = 0;
         p.blocks[0].slots[1]->predicate_from_c = true;
       }},
      {"not a predicate of mad and st",
       [](MachineProgram& p) { p.blocks[0].slots[3]->predicate_from_c = true; }},
      {"guard without predicate", [](MachineProgram& p) { p.blocks[0].slots[1]->guarded = true; }},
      {"negated guard without guard",
       [](MachineProgram& p) { p.blocks[0].slots[1]->guard_negated = true; }},
      {"mul and mad cannot be guarded",
       [](MachineProgram& p) {
         p.blocks[0].slots[1]->op = MachineOp::kMul;
         p.blocks[0].slots[1]->predicate_slot = 0;
         p.blocks[0].slots[1]->guarded = true;
       }},
      {"the destination is r0", [](MachineProgram& p) { p.blocks[0].slots[1]->destination = 0; }},
      {"r1 is written in slot 0 too",
       [](MachineProgram& p) { p.blocks[0].slots[1]->destination = 1; }},
      {"goes to block 1, the program has 1", [](MachineProgram& p) { p.blocks[0].taken = 1; }},
      {"a barrier block must not exit", [](MachineProgram& p) { p.blocks[0].barrier = true; }},
      {"branches on slot 2, which is empty",
       [](MachineProgram& p) {
         p.blocks[0].slots[2].reset();
         p.blocks[0].branch_slot = 2;
       }},
      {"negated branch without predicate",
       [](MachineProgram& p) { p.blocks[0].branch_negated = true; }},
      {"the first block cannot be serial", [](MachineProgram& p) { p.blocks[0].serial = true; }},
      {"no register r0",
       [](MachineProgram& p) {
         p.registers.push_back({0, 0, {}});
       }},
  };
  for (const auto& fault : faults) {
    MachineProgram program = sound();
    fault.spoil(program);
    EXPECT_THAT(complaint(program), HasSubstr(fault.message));
  }
}

TEST(Spelling, IsUnique) {
  std::set<std::string_view> names;
  for (uint32_t op = 0; op < kMachineOps; ++op) {
    EXPECT_TRUE(names.insert(spelling(static_cast<MachineOp>(op))).second);
  }
}

std::shared_ptr<const diagnostics::SourceText> text(std::string json) {
  return std::make_shared<diagnostics::SourceText>("spec.json", std::move(json));
}

TEST(SpecJson, IsReadBack) {
  MachineSpec spec;
  spec.warps = 4;
  spec.registers = 8;
  spec.blocks = 7;
  spec.slots = 3;
  spec.memory_rows = 20;
  spec.max_ctas_x = 5;
  spec.max_ctas_y = 6;
  EXPECT_EQ(parse_spec(text(to_json(spec))), spec);
  EXPECT_EQ(parse_spec(text("{}")), MachineSpec{});
}

TEST(SpecJson, IsRefusedWithThePlace) {
  const struct {
    const char *json, *message;
    uint32_t line;
  } wrong[] = {
      {"{\n\"warps\": 3}", "must be one of 1, 2, 4, 8", 2},
      {"{\"blocks\": 33}", "must be 1 to 32", 1},
      {"{\n\n\"register\": 8}", "registers", 3},
      {"{\"slots\": \"4\"}", "slots", 1},
      {"[]", "machine", 1},
  };
  for (const auto& w : wrong) {
    try {
      parse_spec(text(w.json));
      ADD_FAILURE() << w.json;
    } catch (const diagnostics::InputError& error) {
      EXPECT_THAT(error.diagnostics()[0].message, HasSubstr(w.message));
      EXPECT_EQ(error.diagnostics()[0].position.line, w.line) << w.json;
    }
  }
}

TEST(ProgramJson, IsReadBack) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    MachineProgram program = random_program(seed);
    program.registers.clear();
    for (MachineBlock& block : program.blocks) {
      for (auto& i : block.slots) {
        if (i) i->rule = 0xffff;  // no rule
      }
    }
    const MachineProgram read = parse_program(text(to_json(program)));
    EXPECT_EQ(read.spec, program.spec);
    EXPECT_EQ(read.blocks, program.blocks) << "seed " << seed;
    EXPECT_EQ(read.memory, program.memory);
    EXPECT_EQ(read.warp_lanes, program.warp_lanes);
    EXPECT_EQ(read.ctas_x, program.ctas_x);
    EXPECT_EQ(read.ctas_y, program.ctas_y);
  }
}

TEST(ProgramJson, IsRefusedWithThePlace) {
  const char* wrong[][2] = {
      {R"({"warp_lanes": [15], "blocks": [{"slots": [{"op": "fma"}], "next": "exit"}]})", "fma"},
      {R"({"warp_lanes": [15], "blocks": [{"slots": [{"op": "add", "a": "x"}]}]})", "operand"},
      {R"({"warp_lanes": [15], "blocks": [{"slots": [{"a": 1}]}]})", "op"},
      {R"({"warp_lanes": [15], "blocks": [{"slots": [], "next": "end"}]})", "exit"},
      {R"({"warp_lanes": [15], "blocks": [{"slots": [], "next": 7}]})", "goes to block 7"},
      {R"({"warp_lanes": [16], "blocks": []})", "lane mask"},
  };
  for (const auto& w : wrong) {
    try {
      parse_program(text(w[0]));
      ADD_FAILURE() << w[0];
    } catch (const diagnostics::InputError& error) {
      EXPECT_THAT(error.diagnostics()[0].message, HasSubstr(w[1]));
    }
  }
}

}  // namespace
}  // namespace warplock::circuit
