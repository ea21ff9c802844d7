#include <algorithm>
#include <random>

#include "model_exec/sample_programs.h"

namespace warplock::model_exec::testing {
namespace {

using circuit::MachineBlock;
using circuit::MachineInstruction;
using circuit::MachineOp;
using circuit::MachineProgram;
using circuit::MachineSpec;

class Generator {
 public:
  Generator(const MachineSpec& spec, uint64_t seed) : random_(seed) { program_.spec = spec; }

  MachineProgram make() {
    const MachineSpec& spec = program_.spec;
    uint32_t sizes[] = {std::min(3u, spec.blocks), std::min(8u, spec.blocks), spec.blocks};
    uint32_t blocks = sizes[below(3)];
    for (uint32_t i = 0; i < blocks; ++i) program_.blocks.push_back(block(blocks, i));
    for (uint32_t i = 0; i < circuit::ctaid_x_word(spec); ++i) {
      program_.memory.push_back(chance(0.12) ? word() : 0);
    }
    for (uint32_t warp = 0; warp < spec.warps; ++warp) {
      program_.warp_lanes.push_back(static_cast<uint8_t>(chance(0.6) ? below(16) : 0));
      for (uint32_t reg = 1; reg < spec.registers; ++reg) {
        if (chance(0.15))
          program_.registers.push_back({warp, reg, {word(), word(), word(), word()}});
      }
    }
    if (std::all_of(program_.warp_lanes.begin(), program_.warp_lanes.end(),
                    [](uint8_t lanes) { return lanes == 0; })) {
      program_.warp_lanes.back() = 5;
    }
    uint32_t grids[] = {1, 1, 2, 3, 256};
    program_.ctas_x = std::min(grids[below(5)], spec.max_ctas_x);
    program_.ctas_y = std::min(grids[below(5)], spec.max_ctas_y);
    return program_;
  }

 private:
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  bool chance(double p) { return std::uniform_real_distribution<>()(random_) < p; }

  uint32_t word() {
    constexpr uint32_t kCorners[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x55555555};
    if (chance(0.5)) return static_cast<uint32_t>(random_());
    return chance(0.7) ? below(300) : kCorners[below(6)];
  }

  circuit::MachineOperand operand(int which, MachineOp op, const MachineBlock& made,
                                  uint32_t slot) {
    std::vector<uint32_t> earlier;
    for (uint32_t i = 0; i < slot; ++i) {
      if (made.slots[i]) earlier.push_back(i);
    }
    if (!earlier.empty() && chance(0.5)) {
      return forward(earlier[below(static_cast<uint32_t>(earlier.size()))]);
    }
    bool shift = op == MachineOp::kShl || op == MachineOp::kShrU || op == MachineOp::kShrS;
    if (which == 0 && chance(0.3)) return thread();
    if (which == 1 && chance(0.5)) return immediate(shift ? below(40) : word());
    return reg(below(program_.spec.registers));
  }

  MachineInstruction make_instruction(const MachineBlock& made, uint32_t slot) {
    bool last = slot + 1 == program_.spec.slots;
    MachineOp op = MachineOp::kSt;
    if (!last || chance(0.5)) {
      do op = static_cast<MachineOp>(below(circuit::kMachineOps));
      while (op == MachineOp::kSt);
    }
    MachineInstruction i = instruction(op, operand(0, op, made, slot), operand(1, op, made, slot),
                                       operand(2, op, made, slot));
    bool multiply = op == MachineOp::kMul || op == MachineOp::kMad;
    std::vector<uint8_t> earlier;
    for (uint32_t s = 0; s < slot; ++s) {
      if (made.slots[s]) earlier.push_back(static_cast<uint8_t>(s));
    }
    if (!earlier.empty() && chance(0.6)) {
      i.predicate_slot = earlier[below(static_cast<uint32_t>(earlier.size()))];
    } else if (op != MachineOp::kMad && op != MachineOp::kSt && chance(0.3)) {
      i.predicate_from_c = true;
    }
    if ((i.predicate_slot || i.predicate_from_c) && !multiply && chance(0.4)) {
      i.guarded = true;
      i.guard_negated = chance(0.5);
    }
    uint8_t destination = static_cast<uint8_t>(1 + below(program_.spec.registers - 1));
    bool taken = false;
    for (const auto& other : made.slots)
      taken = taken || (other && other->destination == destination);
    if (op != MachineOp::kSt && !taken && chance(0.5)) i.destination = destination;
    return i;
  }

  MachineBlock block(uint32_t blocks, uint32_t number) {
    MachineBlock made;
    made.slots.resize(program_.spec.slots);
    for (uint32_t slot = 0; slot < program_.spec.slots; ++slot) {
      if (slot == 0 || chance(0.9)) made.slots[slot] = make_instruction(made, slot);
    }
    made.barrier = chance(0.12);
    made.serial = number > 0 && chance(0.2);
    auto target = [&] { return made.barrier || chance(0.92) ? below(blocks) : circuit::kExit; };
    made.taken = made.not_taken = target();
    uint32_t slot = below(program_.spec.slots);
    if (made.slots[slot] && chance(0.7)) {
      made.branch_slot = static_cast<uint8_t>(slot);
      made.branch_negated = chance(0.5);
      made.not_taken = target();
    }
    return made;
  }

  std::mt19937_64 random_;
  MachineProgram program_;
};

}  // namespace

MachineProgram random_program(const MachineSpec& spec, uint64_t seed) {
  return Generator(spec, seed).make();
}

}  // namespace warplock::model_exec::testing
