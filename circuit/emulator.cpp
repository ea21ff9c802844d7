#include "circuit/emulator.h"

#include <algorithm>
#include <bit>

namespace warplock::circuit {

namespace {

constexpr uint32_t kLanes = 4;
using Row = std::array<uint32_t, kLanes>;

/// An instruction with everything that does not change worked out.
struct Decoded {
  MachineOp op = MachineOp::kAdd;
  MachineOperand::Kind kind[3] = {};
  uint8_t index[3] = {};  ///< register or slot
  Row immediate{};
  int8_t predicate_slot = -1;
  bool predicate_from_c = false;
  bool guarded = false;
  uint8_t guard_flip = 0;  ///< the lanes mask to exclusive-or the predicate mask with
  uint8_t destination = 0;
  uint8_t slot = 0;
};

struct DecodedBlock {
  std::array<Decoded, 4> instructions;
  uint32_t count = 0;
  int8_t branch_slot = -1;
  uint8_t branch_flip = 0;
  uint32_t taken = 0, not_taken = 0;
  bool barrier = false, serial = false;
};

Decoded decode(const MachineInstruction& from, uint32_t slot) {
  Decoded to;
  to.op = from.op;
  const MachineOperand* operands[3] = {&from.a, &from.b, &from.c};
  for (int i = 0; i < 3; ++i) {
    to.kind[i] = operands[i]->kind;
    if (operands[i]->kind == MachineOperand::Kind::kImmediate) {
      to.immediate.fill(operands[i]->value);
    } else {
      to.index[i] = static_cast<uint8_t>(operands[i]->value);
    }
  }
  if (from.predicate_slot) to.predicate_slot = static_cast<int8_t>(*from.predicate_slot);
  to.predicate_from_c = from.predicate_from_c;
  to.guarded = from.guarded;
  to.guard_flip = from.guard_negated ? 15 : 0;
  to.destination = from.destination.value_or(0);
  to.slot = static_cast<uint8_t>(slot);
  return to;
}

DecodedBlock decode(const MachineBlock& from) {
  DecodedBlock to;
  for (uint32_t slot = 0; slot < from.slots.size(); ++slot) {
    if (from.slots[slot]) to.instructions[to.count++] = decode(*from.slots[slot], slot);
  }
  if (from.branch_slot) to.branch_slot = static_cast<int8_t>(*from.branch_slot);
  to.branch_flip = from.branch_negated ? 15 : 0;
  to.taken = from.taken;
  to.not_taken = from.branch_slot ? from.not_taken : from.taken;
  to.barrier = from.barrier;
  to.serial = from.serial;
  return to;
}

uint32_t row_of(uint32_t address) {
  return address >> 4 & 127;
}

}  // namespace

struct Emulator::State {
  MachineSpec spec;
  std::vector<DecodedBlock> blocks;
  std::array<uint8_t, 8> exists{};
  uint32_t ctas_x = 1, ctas_y = 1;

  std::vector<uint32_t> memory;
  std::array<std::array<Row, 16>, 8> registers{};
  std::array<Row, 8> threads{};
  uint32_t cta_x = 0, cta_y = 0;
  bool row_started = false;  ///< kCtaRow was given out, its kCta 0 is next

  std::array<std::array<uint32_t, kLanes>, 8> next_block{};
  std::array<uint8_t, 8> left{};     ///< lanes that have not exited
  std::array<uint8_t, 8> waiting{};  ///< of those, the ones at a barrier

  /// Records of the last block, still to be given out.
  std::array<Step, 8> queue;
  uint32_t queue_begin = 0, queue_end = 0;

  std::vector<std::array<LaneResult, 4>> results;
  std::array<Row, 4> values{}, addresses{};
  std::array<uint8_t, 4> predicates{}, executed{};
  mutable bool results_current = false;
  uint64_t executed_blocks = 0;
  uint64_t executed_instructions = 0;
  bool out_of_range = false;

  explicit State(const MachineProgram& program) : spec(program.spec) {
    blocks.reserve(program.blocks.size());
    for (const MachineBlock& block : program.blocks) blocks.push_back(decode(block));
    std::copy(program.warp_lanes.begin(), program.warp_lanes.end(), exists.begin());
    ctas_x = program.ctas_x;
    ctas_y = program.ctas_y;
    memory = program.memory;
    memory.resize(spec.words());
    for (const InitialRegister& initial : program.registers) {
      registers[initial.warp][initial.reg] = initial.lanes;
    }
    for (uint32_t warp = 0; warp < 8; ++warp) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) threads[warp][lane] = kLanes * warp + lane;
    }
    results.resize(spec.slots);
    start_cta();
  }

  void start_cta() {
    left = exists;
    waiting = {};
    next_block = {};
  }

  Step next_cta() {
    Step step;
    if (row_started || cta_x + 1 < ctas_x) {
      cta_x = row_started ? 0 : cta_x + 1;
      row_started = false;
      step.kind = Step::Kind::kCta;
      step.index = cta_x;
      memory[ctaid_x_word(spec)] = cta_x;
      start_cta();
    } else if (cta_y + 1 < ctas_y) {
      row_started = true;
      ++cta_y;
      step.kind = Step::Kind::kCtaRow;
      step.index = cta_y;
      memory[ctaid_y_word(spec)] = cta_y;
    }
    return step;
  }

  const Row& operand(const Decoded& instruction, int which, uint32_t warp) const {
    switch (instruction.kind[which]) {
      case MachineOperand::Kind::kRegister:
        return registers[warp][instruction.index[which]];
      case MachineOperand::Kind::kForward:
        return values[instruction.index[which]];
      case MachineOperand::Kind::kImmediate:
        return instruction.immediate;
      case MachineOperand::Kind::kThread:
        return threads[warp];
    }
    return registers[warp][0];
  }

  template <class F>
  static void each(Row& to, F f) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) to[lane] = f(lane);
  }
  /// A comparison: 0 or 1 a lane, and the mask of lanes.
  template <class F>
  static uint8_t compare(Row& to, F f) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      to[lane] = f(lane) ? 1 : 0;
      mask |= to[lane] << lane;
    }
    return static_cast<uint8_t>(mask);
  }

  uint32_t load(uint32_t address) const {
    const uint32_t word = address >> 2 & 511;
    return word < memory.size() ? memory[word] : 0;
  }

  /// The result of one instruction in all lanes; gives the predicates, as a mask of lanes.
  uint8_t compute(const Decoded& instruction, const Row& a, const Row& b, const Row& c, uint32_t p,
                  uint32_t mask, Row& to) const {
    const auto is = [](uint32_t x) { return static_cast<int32_t>(x); };
    const auto all_lanes = [&](uint32_t condition) {
      to.fill(condition);
      return static_cast<uint8_t>(condition != 0 ? 15 : 0);
    };
    switch (instruction.op) {
      case MachineOp::kAdd:
      case MachineOp::kSt:
        each(to, [&](uint32_t l) { return a[l] + b[l]; });
        return 0;
      case MachineOp::kLd:
        each(to, [&](uint32_t l) { return load(a[l] + b[l]); });
        return 0;
      case MachineOp::kSub:
        each(to, [&](uint32_t l) { return a[l] - b[l]; });
        return 0;
      case MachineOp::kMul:
        each(to, [&](uint32_t l) { return a[l] * b[l]; });
        return 0;
      case MachineOp::kMad:
        each(to, [&](uint32_t l) { return a[l] * b[l] + c[l]; });
        return 0;
      case MachineOp::kAnd:
        each(to, [&](uint32_t l) { return a[l] & b[l]; });
        return 0;
      case MachineOp::kOr:
        each(to, [&](uint32_t l) { return a[l] | b[l]; });
        return 0;
      case MachineOp::kXor:
        each(to, [&](uint32_t l) { return a[l] ^ b[l]; });
        return 0;
      case MachineOp::kSel:
        each(to, [&](uint32_t l) { return p >> l & 1 ? a[l] : b[l]; });
        return 0;
      case MachineOp::kShl:
        each(to, [&](uint32_t l) { return b[l] < 32 ? a[l] << b[l] : 0; });
        return 0;
      case MachineOp::kShrU:
        each(to, [&](uint32_t l) { return b[l] < 32 ? a[l] >> b[l] : 0; });
        return 0;
      case MachineOp::kShrS:
        each(to, [&](uint32_t l) {
          return static_cast<uint32_t>(is(a[l]) >> std::min<uint32_t>(b[l], 31));
        });
        return 0;
      case MachineOp::kLtU:
        return compare(to, [&](uint32_t l) { return a[l] < b[l]; });
      case MachineOp::kLtS:
        return compare(to, [&](uint32_t l) { return is(a[l]) < is(b[l]); });
      case MachineOp::kEq:
        return compare(to, [&](uint32_t l) { return a[l] == b[l]; });
      case MachineOp::kMinU:
        each(to, [&](uint32_t l) { return std::min(a[l], b[l]); });
        return 0;
      case MachineOp::kMaxU:
        each(to, [&](uint32_t l) { return std::max(a[l], b[l]); });
        return 0;
      case MachineOp::kMinS:
        each(to, [&](uint32_t l) { return is(a[l]) < is(b[l]) ? a[l] : b[l]; });
        return 0;
      case MachineOp::kMaxS:
        each(to, [&](uint32_t l) { return is(a[l]) < is(b[l]) ? b[l] : a[l]; });
        return 0;
      case MachineOp::kShflIdx:
        each(to, [&](uint32_t l) { return a[b[l] & 3]; });
        return 0;
      case MachineOp::kShflUp:
        each(to, [&](uint32_t l) { return a[l >= (b[l] & 3) ? l - (b[l] & 3) : l]; });
        return 0;
      case MachineOp::kShflDown:
        each(to, [&](uint32_t l) { return a[l + (b[l] & 3) < kLanes ? l + (b[l] & 3) : l]; });
        return 0;
      case MachineOp::kShflXor:
        each(to, [&](uint32_t l) { return a[l ^ (b[l] & 3)]; });
        return 0;
      case MachineOp::kVoteAny:
        return all_lanes((p & mask) != 0 ? 1 : 0);
      case MachineOp::kVoteAll:
        return all_lanes((p & mask) == mask ? 1 : 0);
      case MachineOp::kBallot:
        to.fill(p & mask);
        return 0;
      case MachineOp::kMatch:
        each(to, [&](uint32_t l) {
          uint32_t same = 0;
          for (uint32_t other = 0; other < kLanes; ++other) {
            if (a[other] == a[l]) same |= 1u << other;
          }
          return same & mask;
        });
        return 0;
    }
    return 0;
  }

  /// Stores of one slot: one record after another while lanes compete for banks.
  void store(const Decoded& instruction, const Row& data, uint32_t lanes) {
    uint32_t record = 0;
    while (lanes != 0) {
      Step step;
      step.kind = Step::Kind::kMemory;
      step.slot = 4 + record++;
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        const uint32_t address = addresses[instruction.slot][lane];
        const uint32_t bank = address >> 2 & 3;
        if ((step.mask >> bank & 1) != 0) continue;
        lanes &= ~(1u << lane);
        step.mask |= 1u << bank;
        step.rows[bank] = row_of(address);
        step.data[bank] = data[lane];
        if (step.rows[bank] >= spec.memory_rows) {
          out_of_range = true;
        } else {
          memory[4 * step.rows[bank] + bank] = data[lane];
        }
      }
      queue[queue_end++] = step;
    }
  }

  void execute(uint32_t number, uint32_t warp, uint32_t mask) {
    const DecodedBlock& block = blocks[number];
    queue_begin = queue_end = 0;
    results_current = false;
    ++executed_blocks;
    executed_instructions += block.count * static_cast<uint32_t>(std::popcount(mask));
    values = {};
    addresses = {};
    predicates = {};
    executed = {};
    const Decoded* stores = nullptr;
    for (uint32_t i = 0; i < block.count; ++i) {
      const Decoded& instruction = block.instructions[i];
      const Row& a = operand(instruction, 0, warp);
      const Row& b = operand(instruction, 1, warp);
      const Row& c = operand(instruction, 2, warp);
      uint32_t p = 0;
      if (instruction.predicate_slot >= 0) {
        p = predicates[static_cast<size_t>(instruction.predicate_slot)];
      } else if (instruction.predicate_from_c) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) p |= (c[lane] & 1) << lane;
      }
      Row& to = values[instruction.slot];
      predicates[instruction.slot] = compute(instruction, a, b, c, p, mask, to);
      uint32_t on = instruction.guarded ? p ^ instruction.guard_flip : 15;
      executed[instruction.slot] = static_cast<uint8_t>(on & mask);
      if (instruction.op == MachineOp::kSt) {
        addresses[instruction.slot] = to;
        stores = &instruction;
        to = c;  // nothing comes after a store: its result is what it stores
        continue;
      }
      if (instruction.op == MachineOp::kLd) {
        each(addresses[instruction.slot], [&](uint32_t l) { return a[l] + b[l]; });
      }
      if (on != 15) {
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
          if ((on >> lane & 1) == 0) to[lane] = c[lane];
        }
      }
    }
    for (uint32_t i = 0; i < block.count; ++i) {
      const Decoded& instruction = block.instructions[i];
      if (instruction.destination == 0) continue;
      Step& step = queue[queue_end++];
      step = Step{};
      step.kind = Step::Kind::kRegister;
      step.warp = warp;
      step.mask = mask;
      step.slot = instruction.slot;
      step.index = instruction.destination;
      Row& target = registers[warp][instruction.destination];
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        target[lane] = values[instruction.slot][lane];
        step.data[lane] = values[instruction.slot][lane];
      }
    }
    if (stores != nullptr) store(*stores, values[stores->slot], executed[stores->slot]);
    branch(block, warp, mask);
  }

  void branch(const DecodedBlock& block, uint32_t warp, uint32_t mask) {
    const uint32_t taken =
        block.branch_slot < 0
            ? 15u
            : static_cast<uint32_t>(predicates[static_cast<size_t>(block.branch_slot)] ^
                                    block.branch_flip);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const uint32_t target = (taken >> lane & 1) != 0 ? block.taken : block.not_taken;
      if (target == kExit) {
        left[warp] = static_cast<uint8_t>(left[warp] & ~(1u << lane));
      } else {
        next_block[warp][lane] = target;
        if (block.barrier) waiting[warp] = static_cast<uint8_t>(waiting[warp] | 1u << lane);
      }
    }
  }

  /// Executes the next block, or goes on to the next CTA.
  Step schedule() {
    bool release = false;
    uint32_t warp = first_warp();
    if (warp == 8) {
      if (std::all_of(left.begin(), left.end(), [](uint8_t lanes) { return lanes == 0; })) {
        return next_cta();
      }
      waiting = {};
      release = true;
      warp = first_warp();
    }
    const uint32_t lanes = left[warp] & ~uint32_t{waiting[warp]};
    uint32_t lowest = kExit;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0) lowest = std::min(lowest, next_block[warp][lane]);
    }
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) != 0 && next_block[warp][lane] == lowest) mask |= 1u << lane;
    }
    if (blocks[lowest].serial) mask &= 0u - mask;
    Step step;
    step.kind = Step::Kind::kExec;
    step.block = lowest;
    step.warp = warp;
    step.mask = mask;
    step.release = release;
    execute(lowest, warp, mask);
    return step;
  }

  uint32_t first_warp() const {
    for (uint32_t warp = 0; warp < 8; ++warp) {
      if ((left[warp] & ~uint32_t{waiting[warp]}) != 0) return warp;
    }
    return 8;
  }
};

Emulator::Emulator(const MachineProgram& program) {
  validate(program);
  state_ = std::make_unique<State>(program);
}
Emulator::~Emulator() = default;
Emulator::Emulator(const Emulator& other) : state_(std::make_unique<State>(*other.state_)) {}
Emulator& Emulator::operator=(const Emulator& other) {
  *state_ = *other.state_;
  return *this;
}
Emulator::Emulator(Emulator&&) noexcept = default;
Emulator& Emulator::operator=(Emulator&&) noexcept = default;

Step Emulator::next() {
  if (state_->queue_begin != state_->queue_end) return state_->queue[state_->queue_begin++];
  return state_->schedule();
}

bool Emulator::run(uint64_t max_blocks) {
  const uint64_t limit = state_->executed_blocks + max_blocks;
  state_->queue_begin = state_->queue_end;
  while (true) {
    if (state_->executed_blocks >= limit) return false;
    if (state_->schedule().kind == Step::Kind::kHalt) return true;
  }
}

bool Emulator::same_state(const Emulator& other) const {
  const State &a = *state_, &b = *other.state_;
  return a.next_block == b.next_block && a.left == b.left && a.waiting == b.waiting &&
         a.cta_x == b.cta_x && a.cta_y == b.cta_y && a.row_started == b.row_started &&
         a.registers == b.registers && a.memory == b.memory;
}

uint64_t Emulator::lane_instructions() const {
  return state_->executed_instructions;
}
uint64_t Emulator::blocks() const {
  return state_->executed_blocks;
}

const std::vector<std::array<LaneResult, 4>>& Emulator::results() const {
  if (!state_->results_current) {
    for (uint32_t slot = 0; slot < state_->spec.slots; ++slot) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        LaneResult& result = state_->results[slot][lane];
        result.result = state_->values[slot][lane];
        result.address = state_->addresses[slot][lane];
        result.predicate = (state_->predicates[slot] >> lane & 1) != 0;
        result.executed = (state_->executed[slot] >> lane & 1) != 0;
      }
    }
    state_->results_current = true;
  }
  return state_->results;
}

const std::vector<uint32_t>& Emulator::memory() const {
  return state_->memory;
}
uint32_t Emulator::register_of(uint32_t warp, uint32_t lane, uint32_t reg) const {
  return state_->registers.at(warp).at(reg).at(lane);
}
uint32_t Emulator::cta_x() const {
  return state_->cta_x;
}
uint32_t Emulator::cta_y() const {
  return state_->cta_y;
}
bool Emulator::store_out_of_range() const {
  return state_->out_of_range;
}

}  // namespace warplock::circuit
