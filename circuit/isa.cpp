#include "circuit/isa.h"

#include <fmt/format.h>

#include <stdexcept>

namespace warplock::circuit {

namespace {

constexpr std::array<std::string_view, kMachineOps> kSpellings = {
    "add",     "sub",       "mul",      "mad",      "and",      "or",     "xor",
    "sel",     "shl",       "shr.u",    "shr.s",    "lt.u",     "lt.s",   "eq",
    "min.u",   "max.u",     "min.s",    "max.s",    "ld",       "st",     "shfl.idx",
    "shfl.up", "shfl.down", "shfl.xor", "vote.any", "vote.all", "ballot", "match"};

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument(message);
}

void require_one_of(const char* field, uint32_t value, std::initializer_list<uint32_t> allowed) {
  for (uint32_t candidate : allowed) {
    if (candidate == value) return;
  }
  refuse(fmt::format("{} is {}, must be one of {}", field, value, fmt::join(allowed, ", ")));
}

void require_range(const char* field, uint32_t value, uint32_t low, uint32_t high) {
  if (value < low || value > high) {
    refuse(fmt::format("{} is {}, must be {} to {}", field, value, low, high));
  }
}

/// One instruction in its block; `where` begins every message.
struct InstructionCheck {
  const MachineSpec& spec;
  const MachineBlock& block;
  uint32_t slot;
  std::string where;

  [[noreturn]] void fail(const std::string& message) const { refuse(where + message); }

  void check_slot_reference(uint32_t referred, const char* what) const {
    if (referred >= slot || !block.slots[referred]) {
      fail(fmt::format("{} refers to slot {}, which is not an earlier instruction of the block",
                       what, referred));
    }
  }

  void check_operand(const MachineOperand& operand, char name) const {
    switch (operand.kind) {
      case MachineOperand::Kind::kRegister:
        if (operand.value >= spec.registers) {
          fail(fmt::format("operand {} is r{}, the machine has r0 to r{}", name, operand.value,
                           spec.registers - 1));
        }
        return;
      case MachineOperand::Kind::kForward:
        check_slot_reference(operand.value, fmt::format("operand {}", name).c_str());
        return;
      case MachineOperand::Kind::kImmediate:
        if (name != 'b') fail(fmt::format("operand {} is an immediate; only b can be one", name));
        return;
      case MachineOperand::Kind::kThread:
        if (name != 'a') fail(fmt::format("operand {} is the thread; only a can be it", name));
        return;
    }
    fail(fmt::format("operand {} has no kind", name));
  }

  void check(const MachineInstruction& instruction) const {
    const MachineOp op = instruction.op;
    if (static_cast<uint32_t>(op) >= kMachineOps) fail("there is no such operation");
    check_operand(instruction.a, 'a');
    check_operand(instruction.b, 'b');
    check_operand(instruction.c, 'c');
    if (op == MachineOp::kSt && slot + 1 != spec.slots) fail("a store stands in the last slot");
    if (instruction.predicate_slot) {
      check_slot_reference(*instruction.predicate_slot, "the predicate");
      if (instruction.predicate_from_c) fail("the predicate comes from a slot and from operand c");
    }
    if (instruction.predicate_from_c && (op == MachineOp::kMad || op == MachineOp::kSt)) {
      fail("operand c is not a predicate of mad and st");
    }
    if (instruction.guarded) {
      if (!instruction.predicate_slot && !instruction.predicate_from_c)
        fail("guard without predicate");
      if (op == MachineOp::kMul || op == MachineOp::kMad) fail("mul and mad cannot be guarded");
    } else if (instruction.guard_negated) {
      fail("negated guard without guard");
    }
    if (instruction.destination) {
      if (op == MachineOp::kSt) fail("a store has no destination");
      const uint32_t reg = *instruction.destination;
      if (reg == 0 || reg >= spec.registers) {
        fail(fmt::format("the destination is r{}, must be r1 to r{}", reg, spec.registers - 1));
      }
      for (uint32_t earlier = 0; earlier < slot; ++earlier) {
        if (block.slots[earlier] && block.slots[earlier]->destination == instruction.destination) {
          fail(fmt::format("r{} is written in slot {} too", reg, earlier));
        }
      }
    }
  }
};

void check_block(const MachineProgram& program, uint32_t number) {
  const MachineBlock& block = program.blocks[number];
  const MachineSpec& spec = program.spec;
  const std::string where = fmt::format("block {}: ", number);
  if (block.slots.size() != spec.slots) {
    refuse(
        fmt::format("{}has {} slots, the machine has {}", where, block.slots.size(), spec.slots));
  }
  for (uint32_t slot = 0; slot < spec.slots; ++slot) {
    if (!block.slots[slot]) continue;
    InstructionCheck{spec, block, slot, fmt::format("block {}, slot {}: ", number, slot)}.check(
        *block.slots[slot]);
  }
  for (uint32_t target : {block.taken, block.not_taken}) {
    if (target == kExit) {
      if (block.barrier) refuse(where + "a barrier block must not exit");
    } else if (target >= program.blocks.size()) {
      refuse(fmt::format("{}goes to block {}, the program has {}", where, target,
                         program.blocks.size()));
    }
  }
  if (block.branch_slot) {
    if (*block.branch_slot >= spec.slots || !block.slots[*block.branch_slot]) {
      refuse(fmt::format("{}branches on slot {}, which is empty", where, *block.branch_slot));
    }
  } else if (block.branch_negated) {
    refuse(where + "negated branch without predicate");
  }
  if (block.serial && number == 0) refuse(where + "the first block cannot be serial");
}

}  // namespace

std::string_view spelling(MachineOp op) {
  const auto index = static_cast<size_t>(op);
  return index < kSpellings.size() ? kSpellings[index] : std::string_view("?");
}

void validate(const MachineSpec& spec) {
  require_one_of("lanes", spec.lanes, {4});
  require_one_of("warps", spec.warps, {1, 2, 4, 8});
  require_one_of("registers", spec.registers, {2, 4, 8, 16});
  require_range("blocks", spec.blocks, 1, 32);
  require_range("slots", spec.slots, 1, 4);
  require_range("memory_rows", spec.memory_rows, 2, 127);
  require_range("max_ctas_x", spec.max_ctas_x, 1, 256);
  require_range("max_ctas_y", spec.max_ctas_y, 1, 256);
}

void validate(const MachineProgram& program) {
  const MachineSpec& spec = program.spec;
  validate(spec);
  if (program.blocks.empty()) refuse("the program has no blocks");
  if (program.blocks.size() > spec.blocks) {
    refuse(fmt::format("the program has {} blocks, the machine has {}", program.blocks.size(),
                       spec.blocks));
  }
  if (program.memory.size() > spec.words()) {
    refuse(fmt::format("the program has {} words of memory, the machine has {}",
                       program.memory.size(), spec.words()));
  }
  if (program.warp_lanes.size() > spec.warps) {
    refuse(fmt::format("the launch has {} warps, the machine has {}", program.warp_lanes.size(),
                       spec.warps));
  }
  bool any_lane = false;
  for (size_t warp = 0; warp < program.warp_lanes.size(); ++warp) {
    if (program.warp_lanes[warp] >> spec.lanes != 0) {
      refuse(fmt::format("warp {} has lanes that the machine has not", warp));
    }
    any_lane = any_lane || program.warp_lanes[warp] != 0;
  }
  if (!any_lane) refuse("the launch has no threads");
  if (program.ctas_x < 1 || program.ctas_x > spec.max_ctas_x || program.ctas_y < 1 ||
      program.ctas_y > spec.max_ctas_y) {
    refuse(fmt::format("the grid is {} x {} CTAs, the machine runs up to {} x {}", program.ctas_x,
                       program.ctas_y, spec.max_ctas_x, spec.max_ctas_y));
  }
  for (const InitialRegister& initial : program.registers) {
    if (initial.warp >= spec.warps || initial.reg == 0 || initial.reg >= spec.registers) {
      refuse(fmt::format("there is no register r{} of warp {} to start with a value", initial.reg,
                         initial.warp));
    }
  }
  for (uint32_t number = 0; number < program.blocks.size(); ++number) check_block(program, number);
}

}  // namespace warplock::circuit
