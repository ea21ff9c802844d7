#include "model_exec/sample_programs.h"

#include <algorithm>
#include <optional>
#include <string>

namespace warplock::model_exec::testing {

using circuit::kExit;
using circuit::MachineBlock;
using circuit::MachineInstruction;
using circuit::MachineOp;
using circuit::MachineOperand;
using circuit::MachineProgram;

MachineOperand reg(uint32_t index) {
  return {MachineOperand::Kind::kRegister, index};
}
MachineOperand forward(uint32_t slot) {
  return {MachineOperand::Kind::kForward, slot};
}
MachineOperand immediate(uint32_t value) {
  return {MachineOperand::Kind::kImmediate, value};
}
MachineOperand thread() {
  return {MachineOperand::Kind::kThread, 0};
}

MachineInstruction instruction(MachineOp op, MachineOperand a, MachineOperand b, MachineOperand c) {
  MachineInstruction made;
  made.op = op;
  made.a = a;
  made.b = b;
  made.c = c;
  return made;
}

namespace {

MachineInstruction into(MachineInstruction from, uint8_t destination) {
  from.destination = destination;
  return from;
}

using Slots = std::vector<std::optional<MachineInstruction>>;

MachineBlock block(Slots slots, uint32_t taken, std::optional<uint8_t> branch = {},
                   uint32_t not_taken = kExit) {
  MachineBlock made;
  slots.resize(4);
  made.slots = std::move(slots);
  made.taken = taken;
  made.not_taken = branch ? not_taken : taken;
  made.branch_slot = branch;
  return made;
}

MachineBlock serial(MachineBlock from) {
  from.serial = true;
  return from;
}

MachineProgram program(std::vector<MachineBlock> blocks, std::vector<uint32_t> memory,
                       std::vector<uint8_t> lanes) {
  MachineProgram made;
  made.blocks = std::move(blocks);
  made.memory = std::move(memory);
  made.warp_lanes = std::move(lanes);
  return made;
}

/// a at word 0, b at word 4, the sum at word 16.
std::vector<uint32_t> dot_memory() {
  return {1, 2, 3, 0, 4, 5, 6};
}
bool is_dot(const std::vector<uint32_t>& memory) {
  return memory[16] == 32;
}

SampleProgram dot() {
  MachineInstruction add = instruction(MachineOp::kAdd, forward(0), reg(2));
  MachineInstruction store = instruction(MachineOp::kSt, reg(0), immediate(64), forward(1));
  return {
      "dot",
      program({block({instruction(MachineOp::kShl, thread(), immediate(2)),
                      instruction(MachineOp::kLd, forward(0), immediate(0)),
                      instruction(MachineOp::kLd, forward(0), immediate(16)),
                      into(instruction(MachineOp::kMul, forward(1), forward(2)), 2)},
                     1),
               serial(block({instruction(MachineOp::kLd, reg(0), immediate(64)), add, {}, store},
                            kExit))},
              dot_memory(), {7}),
      is_dot};
}

SampleProgram guarded_dot() {
  MachineInstruction store = instruction(MachineOp::kSt, reg(0), immediate(64), forward(1));
  return {"dot with a bound",
          program({block({instruction(MachineOp::kLtU, thread(), immediate(3)),
                          into(instruction(MachineOp::kShl, thread(), immediate(2)), 1)},
                         1, 0),
                   block({instruction(MachineOp::kLd, reg(1), immediate(0)),
                          instruction(MachineOp::kLd, reg(1), immediate(16)),
                          into(instruction(MachineOp::kMul, forward(0), forward(1)), 2)},
                         2),
                   serial(block({instruction(MachineOp::kLd, reg(0), immediate(64)),
                                 instruction(MachineOp::kAdd, forward(0), reg(2)),
                                 {},
                                 store},
                                kExit))},
                  dot_memory(), {15}),
          is_dot};
}

SampleProgram shuffled_dot() {
  MachineInstruction store = instruction(MachineOp::kSt, reg(0), immediate(64), forward(2));
  store.predicate_slot = 0;
  store.guarded = true;
  return {"dot by shuffles",
          program({block({instruction(MachineOp::kShl, thread(), immediate(2)),
                          instruction(MachineOp::kLd, forward(0), immediate(0)),
                          instruction(MachineOp::kLd, forward(0), immediate(16)),
                          into(instruction(MachineOp::kMul, forward(1), forward(2)), 2)},
                         1),
                   block({instruction(MachineOp::kShflXor, reg(2), immediate(1)),
                          instruction(MachineOp::kAdd, forward(0), reg(2)),
                          instruction(MachineOp::kShflXor, forward(1), immediate(2)),
                          into(instruction(MachineOp::kAdd, forward(2), forward(1)), 3)},
                         2),
                   block({instruction(MachineOp::kLtU, thread(), immediate(1)),
                          instruction(MachineOp::kLd, reg(0), immediate(64)),
                          instruction(MachineOp::kAdd, forward(1), reg(3)), store},
                         kExit)},
                  dot_memory(), {15}),
          is_dot};
}

SampleProgram vector_add(uint32_t count, uint32_t warps) {
  std::vector<uint32_t> memory(64);
  std::vector<uint32_t> wanted(count);
  for (uint32_t i = 0; i < count; ++i) {
    memory[i] = 2654435761u * (i + 1);
    memory[32 + i] = 40503u * (i + 7) * (i + 1);
    wanted[i] = memory[i] + memory[32 + i];
  }
  return {"vector add, " + std::to_string(warps) + " warps",
          program({block({into(instruction(MachineOp::kShl, thread(), immediate(2)), 1),
                          instruction(MachineOp::kLtU, forward(0), immediate(4 * count))},
                         1, 1),
                   block({instruction(MachineOp::kLd, reg(1), immediate(0)),
                          instruction(MachineOp::kLd, reg(1), immediate(128)),
                          instruction(MachineOp::kAdd, forward(0), forward(1)),
                          instruction(MachineOp::kSt, reg(1), immediate(256), forward(2))},
                         2),
                   block({into(instruction(MachineOp::kAdd, reg(1), immediate(16 * warps)), 1),
                          instruction(MachineOp::kLtU, forward(0), immediate(4 * count))},
                         1, 1)},
                  memory, std::vector<uint8_t>(warps, 15)),
          [wanted](const std::vector<uint32_t>& end) {
            return std::equal(wanted.begin(), wanted.end(), end.begin() + 64);
          }};
}

SampleProgram collatz(std::vector<uint32_t> start) {
  std::vector<uint32_t> wanted;
  for (uint32_t value : start) {
    uint32_t steps = 0;
    for (; value != 1; ++steps) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    wanted.push_back(steps);
  }
  MachineInstruction store = instruction(MachineOp::kSt, reg(1), immediate(16), reg(3));
  return {"collatz",
          program({block({into(instruction(MachineOp::kShl, thread(), immediate(2)), 1),
                          into(instruction(MachineOp::kLd, forward(0), immediate(0)), 2),
                          instruction(MachineOp::kEq, forward(1), immediate(1))},
                         4, 2, 1),
                   block({instruction(MachineOp::kAnd, reg(2), immediate(1)),
                          instruction(MachineOp::kEq, forward(0), immediate(0))},
                         2, 1, 3),
                   block({into(instruction(MachineOp::kShrU, reg(2), immediate(1)), 2),
                          into(instruction(MachineOp::kAdd, reg(3), immediate(1)), 3),
                          instruction(MachineOp::kEq, forward(0), immediate(1))},
                         4, 2, 1),
                   block({instruction(MachineOp::kMul, reg(2), immediate(3)),
                          into(instruction(MachineOp::kAdd, forward(0), immediate(1)), 2),
                          into(instruction(MachineOp::kAdd, reg(3), immediate(1)), 3)},
                         1),
                   block({{}, {}, {}, store}, kExit)},
                  start, {15}),
          [wanted](const std::vector<uint32_t>& end) {
            return std::equal(wanted.begin(), wanted.end(), end.begin() + 4);
          }};
}

/// Two warps reverse a vector through memory, with a barrier in between.
SampleProgram barrier() {
  std::vector<uint32_t> memory;
  for (uint32_t i = 0; i < 8; ++i) memory.push_back(1000003 * i + 17);
  MachineBlock first = block({instruction(MachineOp::kShl, thread(), immediate(2)),
                              instruction(MachineOp::kLd, forward(0), immediate(0)),
                              {},
                              instruction(MachineOp::kSt, forward(0), immediate(128), forward(1))},
                             1);
  first.slots[0]->destination = 1;
  first.barrier = true;
  return {"barrier",
          program({first, block({instruction(MachineOp::kXor, reg(1), immediate(28)),
                                 instruction(MachineOp::kLd, forward(0), immediate(128)),
                                 {},
                                 instruction(MachineOp::kSt, reg(1), immediate(256), forward(1))},
                                kExit)},
                  memory, {15, 15}),
          [memory](const std::vector<uint32_t>& end) {
            return std::equal(memory.rbegin(), memory.rend(), end.begin() + 64);
          }};
}

/// out[4 ctaid + tid] = 100 ctaid + tid
SampleProgram grid(uint32_t ctas) {
  uint32_t number = 4 * circuit::ctaid_x_word({});
  MachineProgram made =
      program({block({instruction(MachineOp::kLd, reg(0), immediate(number)),
                      instruction(MachineOp::kShl, forward(0), immediate(2)),
                      instruction(MachineOp::kAdd, thread(), forward(1)),
                      into(instruction(MachineOp::kShl, forward(2), immediate(2)), 1)},
                     1),
               block({instruction(MachineOp::kLd, reg(0), immediate(number)),
                      instruction(MachineOp::kMul, forward(0), immediate(100)),
                      instruction(MachineOp::kAdd, thread(), forward(1)),
                      instruction(MachineOp::kSt, reg(1), immediate(0), forward(2))},
                     kExit)},
              {}, {15});
  made.ctas_x = ctas;
  return {"grid", made, [ctas](const std::vector<uint32_t>& end) {
            for (uint32_t i = 0; i < 4 * ctas; ++i) {
              if (end[i] != 100 * (i / 4) + i % 4) return false;
            }
            return true;
          }};
}

/// out[4 y + x] = 256 y + x
SampleProgram grid_2d(uint32_t ctas_x, uint32_t ctas_y) {
  uint32_t x = 4 * circuit::ctaid_x_word({}), y = 4 * circuit::ctaid_y_word({});
  MachineProgram made =
      program({block({instruction(MachineOp::kLd, reg(0), immediate(x)),
                      instruction(MachineOp::kLd, reg(0), immediate(y)),
                      instruction(MachineOp::kMad, forward(1), immediate(4), forward(0)),
                      into(instruction(MachineOp::kShl, forward(2), immediate(2)), 1)},
                     1),
               block({instruction(MachineOp::kLd, reg(0), immediate(x)),
                      instruction(MachineOp::kLd, reg(0), immediate(y)),
                      instruction(MachineOp::kMad, forward(1), immediate(256), forward(0)),
                      instruction(MachineOp::kSt, reg(1), immediate(0), forward(2))},
                     kExit)},
              {}, {1});
  made.ctas_x = ctas_x;
  made.ctas_y = ctas_y;
  return {"grid in two dimensions", made, [ctas_x, ctas_y](const std::vector<uint32_t>& end) {
            for (uint32_t i = 0; i < 4 * ctas_y; ++i) {
              if (i % 4 < ctas_x && end[i] != 256 * (i / 4) + i % 4) return false;
            }
            return true;
          }};
}

}  // namespace

std::vector<SampleProgram> sample_programs() {
  return {dot(),     guarded_dot(),         shuffled_dot(), vector_add(10, 1), vector_add(20, 2),
          barrier(), collatz({6, 7, 1, 3}), grid(3),        grid_2d(3, 2)};
}

}  // namespace warplock::model_exec::testing
