#include "circuit/plain_machine.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace warplock::circuit {

namespace {

using Thread = std::pair<uint32_t, uint32_t>;  // warp, lane

struct Plain {
  const MachineProgram& program;
  std::map<uint32_t, uint32_t> memory;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> registers;  // warp, register, lane
  std::map<Thread, uint32_t> at;
  std::set<Thread> exited, waiting;
  uint32_t x = 0, y = 0;
  bool new_row = false;
  std::vector<Step> steps;
  size_t most;

  Plain(const MachineProgram& p, size_t limit) : program(p), most(limit) {
    for (uint32_t i = 0; i < p.memory.size(); ++i) memory[i] = p.memory[i];
    for (const InitialRegister& r : p.registers) {
      for (uint32_t l = 0; l < 4; ++l) registers[{r.warp, r.reg, l}] = r.lanes[l];
    }
  }

  std::vector<Thread> threads() const {
    std::vector<Thread> all;
    for (uint32_t w = 0; w < program.warp_lanes.size(); ++w) {
      for (uint32_t l = 0; l < 4; ++l) {
        if ((program.warp_lanes[w] >> l & 1) != 0) all.emplace_back(w, l);
      }
    }
    return all;
  }

  void restart() {
    at.clear();
    exited.clear();
    waiting.clear();
  }

  /// False at the end.
  bool step() {
    std::vector<Thread> alive, running;
    for (const Thread& t : threads()) {
      if (exited.count(t) == 0) alive.push_back(t);
    }
    if (alive.empty()) return next_cta();
    for (const Thread& t : alive) {
      if (waiting.count(t) == 0) running.push_back(t);
    }
    Step exec;
    exec.kind = Step::Kind::kExec;
    if (running.empty()) {
      waiting.clear();
      running = alive;
      exec.release = true;
    }
    exec.warp = running.front().first;
    uint32_t lowest = 0xffffffff;
    for (const Thread& t : running) {
      if (t.first == exec.warp) lowest = std::min(lowest, at[t]);
    }
    for (const Thread& t : running) {
      if (t.first != exec.warp || at[t] != lowest) continue;
      if (program.blocks[lowest].serial && exec.mask != 0) continue;
      exec.mask |= 1u << t.second;
    }
    exec.block = lowest;
    steps.push_back(exec);
    execute(exec);
    return true;
  }

  bool next_cta() {
    Step step;
    if (new_row || x + 1 < program.ctas_x) {
      x = new_row ? 0 : x + 1;
      new_row = false;
      restart();
      step.kind = Step::Kind::kCta;
      step.index = x;
      memory[ctaid_x_word(program.spec)] = x;
    } else if (y + 1 < program.ctas_y) {
      new_row = true;
      step.kind = Step::Kind::kCtaRow;
      step.index = ++y;
      memory[ctaid_y_word(program.spec)] = y;
    }
    steps.push_back(step);
    return step.kind != Step::Kind::kHalt;
  }

  uint32_t read(uint32_t address) {
    const uint32_t row = address >> 4 & 127;
    if (row >= program.spec.memory_rows) return 0;
    const auto found = memory.find(4 * row + (address >> 2 & 3));
    return found == memory.end() ? 0 : found->second;
  }

  void execute(const Step& exec) {
    const MachineBlock& block = program.blocks[exec.block];
    uint32_t value[4][4] = {}, predicate[4][4] = {};
    struct Store {
      uint32_t lane, address, data;
    };
    std::vector<Store> stores;
    for (uint32_t s = 0; s < block.slots.size(); ++s) {
      if (!block.slots[s]) continue;
      const MachineInstruction& i = *block.slots[s];
      uint32_t a[4], b[4], c[4], p[4];
      const auto fetch = [&](const MachineOperand& o, uint32_t lane) -> uint32_t {
        if (o.kind == MachineOperand::Kind::kForward) return value[o.value][lane];
        if (o.kind == MachineOperand::Kind::kImmediate) return o.value;
        if (o.kind == MachineOperand::Kind::kThread) return 4 * exec.warp + lane;
        const auto found = registers.find({exec.warp, o.value, lane});
        return o.value == 0 || found == registers.end() ? 0 : found->second;
      };
      for (uint32_t l = 0; l < 4; ++l) {
        a[l] = fetch(i.a, l);
        b[l] = fetch(i.b, l);
        c[l] = fetch(i.c, l);
        p[l] = i.predicate_slot     ? predicate[*i.predicate_slot][l]
               : i.predicate_from_c ? c[l] & 1
                                    : 0;
      }
      const auto in_mask = [&](uint32_t l) { return (exec.mask >> l & 1) != 0; };
      for (uint32_t l = 0; l < 4; ++l) {
        const auto sa = static_cast<int32_t>(a[l]), sb = static_cast<int32_t>(b[l]);
        const auto lane_of = [&](uint32_t other) { return other < 4 ? a[other] : a[l]; };
        uint32_t r = 0, q = 0;
        switch (i.op) {
          case MachineOp::kAdd:
            r = a[l] + b[l];
            break;
          case MachineOp::kSub:
            r = a[l] - b[l];
            break;
          case MachineOp::kMul:
            r = a[l] * b[l];
            break;
          case MachineOp::kMad:
            r = a[l] * b[l] + c[l];
            break;
          case MachineOp::kAnd:
            r = a[l] & b[l];
            break;
          case MachineOp::kOr:
            r = a[l] | b[l];
            break;
          case MachineOp::kXor:
            r = a[l] ^ b[l];
            break;
          case MachineOp::kSel:
            r = p[l] != 0 ? a[l] : b[l];
            break;
          case MachineOp::kShl:
            r = b[l] > 31 ? 0 : a[l] << b[l];
            break;
          case MachineOp::kShrU:
            r = b[l] > 31 ? 0 : a[l] >> b[l];
            break;
          case MachineOp::kShrS:
            r = static_cast<uint32_t>(sa >> (b[l] > 31 ? 31 : b[l]));
            break;
          case MachineOp::kLtU:
            r = q = a[l] < b[l];
            break;
          case MachineOp::kLtS:
            r = q = sa < sb;
            break;
          case MachineOp::kEq:
            r = q = a[l] == b[l];
            break;
          case MachineOp::kMinU:
            r = a[l] < b[l] ? a[l] : b[l];
            break;
          case MachineOp::kMaxU:
            r = a[l] < b[l] ? b[l] : a[l];
            break;
          case MachineOp::kMinS:
            r = sa < sb ? a[l] : b[l];
            break;
          case MachineOp::kMaxS:
            r = sa < sb ? b[l] : a[l];
            break;
          case MachineOp::kLd:
            r = read(a[l] + b[l]);
            break;
          case MachineOp::kSt:
            r = a[l] + b[l];
            break;
          case MachineOp::kShflIdx:
            r = lane_of(b[l] % 4);
            break;
          case MachineOp::kShflUp:
            r = lane_of(l - b[l] % 4);
            break;
          case MachineOp::kShflDown:
            r = lane_of(l + b[l] % 4);
            break;
          case MachineOp::kShflXor:
            r = lane_of(l ^ b[l] % 4);
            break;
          case MachineOp::kVoteAny:
            for (uint32_t m = 0; m < 4; ++m) r |= in_mask(m) && p[m] != 0 ? 1 : 0;
            q = r;
            break;
          case MachineOp::kVoteAll:
            r = 1;
            for (uint32_t m = 0; m < 4; ++m) r &= in_mask(m) && p[m] == 0 ? 0 : 1;
            q = r;
            break;
          case MachineOp::kBallot:
            for (uint32_t m = 0; m < 4; ++m) r |= in_mask(m) && p[m] != 0 ? 1u << m : 0;
            break;
          case MachineOp::kMatch:
            for (uint32_t m = 0; m < 4; ++m) r |= in_mask(m) && a[m] == a[l] ? 1u << m : 0;
            break;
        }
        const bool on = !i.guarded || (p[l] != 0) != i.guard_negated;
        if (i.op == MachineOp::kSt) {
          if (on && in_mask(l)) stores.push_back({l, r, c[l]});
        } else if (!on) {
          r = c[l];
        }
        value[s][l] = r;
        predicate[s][l] = q;
      }
    }
    for (uint32_t s = 0; s < block.slots.size(); ++s) {
      if (!block.slots[s] || !block.slots[s]->destination) continue;
      Step record;
      record.kind = Step::Kind::kRegister;
      record.warp = exec.warp;
      record.mask = exec.mask;
      record.slot = s;
      record.index = *block.slots[s]->destination;
      for (uint32_t l = 0; l < 4; ++l) {
        if ((exec.mask >> l & 1) == 0) continue;
        record.data[l] = value[s][l];
        registers[{exec.warp, record.index, l}] = value[s][l];
      }
      steps.push_back(record);
    }
    for (uint32_t number = 0; !stores.empty(); ++number) {
      Step record;
      record.kind = Step::Kind::kMemory;
      record.slot = 4 + number;
      std::vector<Store> later;
      for (const Store& store : stores) {
        const uint32_t bank = store.address >> 2 & 3, row = store.address >> 4 & 127;
        if ((record.mask >> bank & 1) != 0) {
          later.push_back(store);
          continue;
        }
        record.mask |= 1u << bank;
        record.rows[bank] = row;
        record.data[bank] = store.data;
        memory[4 * row + bank] = store.data;
      }
      steps.push_back(record);
      stores = later;
    }
    for (uint32_t l = 0; l < 4; ++l) {
      if ((exec.mask >> l & 1) == 0) continue;
      bool taken = true;
      if (block.branch_slot)
        taken = (predicate[*block.branch_slot][l] != 0) != block.branch_negated;
      const uint32_t target = taken ? block.taken : block.not_taken;
      const Thread thread{exec.warp, l};
      if (target == kExit) {
        exited.insert(thread);
      } else {
        at[thread] = target;
        if (block.barrier) waiting.insert(thread);
      }
    }
  }
};

}  // namespace

std::vector<Step> run_plainly(const MachineProgram& program, size_t most) {
  Plain machine(program, most);
  while (machine.steps.size() < most && machine.step()) {
  }
  machine.steps.resize(std::min(machine.steps.size(), most));
  return machine.steps;
}

MachineProgram random_program(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  const auto chance = [&](uint32_t percent) { return below(100) < percent; };
  const auto word = [&]() -> uint32_t {
    const uint32_t corners[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff};
    if (chance(50)) return static_cast<uint32_t>(random());
    return chance(70) ? below(2100) : corners[below(5)];
  };
  MachineProgram program;
  const uint32_t sizes[] = {1, 3, 8, 32};
  const uint32_t blocks = sizes[below(4)];
  for (uint32_t b = 0; b < blocks; ++b) {
    MachineBlock block;
    block.slots.resize(4);
    std::vector<uint32_t> earlier;
    std::set<uint32_t> written;
    for (uint32_t s = 0; s < 4; ++s) {
      if (chance(15)) continue;
      MachineInstruction i;
      i.op = s == 3 && chance(50) ? MachineOp::kSt : static_cast<MachineOp>(below(kMachineOps));
      if (i.op == MachineOp::kSt && s != 3) i.op = MachineOp::kLd;
      MachineOperand* operands[] = {&i.a, &i.b, &i.c};
      for (int k = 0; k < 3; ++k) {
        if (!earlier.empty() && chance(45)) {
          *operands[k] = {MachineOperand::Kind::kForward, earlier[below(earlier.size())]};
        } else if (k == 1 && chance(50)) {
          *operands[k] = {MachineOperand::Kind::kImmediate, chance(50) ? below(40) : word()};
        } else if (k == 0 && chance(20)) {
          *operands[k] = {MachineOperand::Kind::kThread, 0};
        } else {
          *operands[k] = {MachineOperand::Kind::kRegister, below(16)};
        }
      }
      if (!earlier.empty() && chance(50)) {
        i.predicate_slot = static_cast<uint8_t>(earlier[below(earlier.size())]);
      } else if (i.op != MachineOp::kMad && i.op != MachineOp::kSt && chance(50)) {
        i.predicate_from_c = true;
      }
      const bool can_guard = i.op != MachineOp::kMul && i.op != MachineOp::kMad &&
                             (i.predicate_slot || i.predicate_from_c);
      if (can_guard && chance(40)) {
        i.guarded = true;
        i.guard_negated = chance(50);
      }
      if (i.op != MachineOp::kSt && chance(60)) {
        const uint32_t reg = 1 + below(15);
        if (written.insert(reg).second) i.destination = static_cast<uint8_t>(reg);
      }
      block.slots[s] = i;
      earlier.push_back(s);
    }
    block.barrier = chance(12);
    const auto target = [&] { return block.barrier || chance(92) ? below(blocks) : kExit; };
    block.taken = block.not_taken = target();
    if (!earlier.empty() && chance(70)) {
      block.branch_slot = static_cast<uint8_t>(earlier[below(earlier.size())]);
      block.branch_negated = chance(50);
      block.not_taken = target();
    }
    block.serial = b != 0 && chance(20);
    program.blocks.push_back(block);
  }
  program.memory.resize(508);
  for (uint32_t& w : program.memory) w = chance(15) ? word() : 0;
  for (uint32_t w = 0; w < 8; ++w) {
    program.warp_lanes.push_back(chance(60) ? static_cast<uint8_t>(below(16)) : 0);
    for (uint32_t r = 1; r < 16; ++r) {
      if (chance(15)) program.registers.push_back({w, r, {word(), word(), word(), word()}});
    }
  }
  program.warp_lanes[below(8)] = 5;
  program.ctas_x = 1 + below(3);
  program.ctas_y = 1 + below(3);
  return program;
}

}  // namespace warplock::circuit
