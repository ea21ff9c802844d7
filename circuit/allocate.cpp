#include "circuit/allocate.h"

#include <algorithm>

#include "circuit/analysis.h"

namespace warplock::circuit {

namespace {

using ir::Register;
using ir::RegisterSet;
using ir::Value;

/// Registers that a packed block reads, the operands that are forwarded left out.
template <class F>
void for_each_read(const PackedBlock& block, F f) {
  for (const auto& slot : block.slots) {
    if (!slot) continue;
    const ir::Instruction& i = slot->instruction;
    if (i.a.is_register() && slot->from[0] < 0) f(i.a.value);
    if (i.b.is_register() && slot->from[1] < 0) f(i.b.value);
    if (i.c.is_register() && slot->from[2] < 0) f(i.c.value);
  }
}

template <class F>
void for_each_write(const PackedBlock& block, F f) {
  for (const auto& slot : block.slots) {
    if (slot && slot->kept) f(slot->instruction.destination);
  }
}

struct Graph {
  std::vector<RegisterSet> edges;
  std::vector<uint32_t> degree;
  std::vector<bool> present;
  std::vector<double> cost;  ///< reads and writes
};

std::vector<RegisterSet> live_out(const std::vector<PackedBlock>& blocks, uint32_t registers) {
  std::vector<RegisterSet> in(blocks.size(), RegisterSet(registers)), out = in;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      const PackedBlock& block = blocks[b];
      if (block.taken != ir::kNoBlock) out[b].unite(in[block.taken]);
      if (block.branch_slot && block.not_taken != ir::kNoBlock) out[b].unite(in[block.not_taken]);
      RegisterSet live = out[b];
      for_each_write(block, [&](Register reg) { live.remove(reg); });
      for_each_read(block, [&](Register reg) { live.add(reg); });
      changed = in[b].unite(live) || changed;
    }
  }
  return out;
}

Graph make_graph(const std::vector<PackedBlock>& blocks, const std::vector<RegisterSet>& out,
                 uint32_t registers) {
  Graph graph{std::vector<RegisterSet>(registers, RegisterSet(registers)),
              std::vector<uint32_t>(registers, 0), std::vector<bool>(registers, false),
              std::vector<double>(registers, 0)};
  const auto connect = [&](Register a, Register b) {
    if (a == b || graph.edges[a].has(b)) return;
    graph.edges[a].add(b);
    graph.edges[b].add(a);
    ++graph.degree[a];
    ++graph.degree[b];
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    // A block inside a loop costs more; a backward branch to or before it shows one.
    double weight = 1;
    for (size_t from = b; from < blocks.size(); ++from) {
      for (uint32_t target : {blocks[from].taken, blocks[from].not_taken}) {
        if (target != ir::kNoBlock && target <= b) weight = std::min(weight * 4, 64.0);
      }
    }
    for_each_read(blocks[b], [&](Register reg) {
      graph.present[reg] = true;
      graph.cost[reg] += weight;
    });
    for_each_write(blocks[b], [&](Register reg) {
      graph.present[reg] = true;
      graph.cost[reg] += weight;
      out[b].for_each([&](Register other) { connect(reg, other); });
      for_each_write(blocks[b], [&](Register other) { connect(reg, other); });
    });
  }
  return graph;
}

}  // namespace

/// Chaitin's colouring with Briggs' optimism: what has few neighbours goes on the stack first; when
/// nothing has, the cheapest to spill does, and may still find a colour.
Allocation allocate(const std::vector<PackedBlock>& blocks, uint32_t virtual_registers,
                    uint32_t registers, const std::vector<bool>& keep) {
  const std::vector<RegisterSet> out = live_out(blocks, virtual_registers);
  Graph graph = make_graph(blocks, out, virtual_registers);
  const uint32_t colors = registers - 1;
  Allocation result;
  result.colors.assign(virtual_registers, -1);
  for (const RegisterSet& set : out) {
    uint32_t count = 0;
    set.for_each([&](Register) { ++count; });
    result.most_live = std::max(result.most_live, count);
  }
  std::vector<bool> left = graph.present;
  std::vector<uint32_t> degree = graph.degree;
  std::vector<Register> stack;
  while (true) {
    Register choice = ir::kNoRegister;
    double best = 0;
    for (Register reg = 0; reg < virtual_registers; ++reg) {
      if (!left[reg]) continue;
      double value = graph.cost[reg] / (degree[reg] + 1.0);
      if (degree[reg] < colors) value = -1;
      if (keep[reg] && value >= 0) value += 1e6;
      if (choice == ir::kNoRegister || value < best) {
        choice = reg;
        best = value;
      }
      if (value < 0) break;
    }
    if (choice == ir::kNoRegister) break;
    left[choice] = false;
    graph.edges[choice].for_each([&](Register other) { --degree[other]; });
    stack.push_back(choice);
  }
  while (!stack.empty()) {
    const Register reg = stack.back();
    stack.pop_back();
    uint32_t taken = 0;
    graph.edges[reg].for_each([&](Register other) {
      if (result.colors[other] > 0) taken |= 1u << result.colors[other];
    });
    for (uint32_t color = 1; color <= colors && result.colors[reg] < 0; ++color) {
      if ((taken >> color & 1) == 0) result.colors[reg] = static_cast<int>(color);
    }
    if (result.colors[reg] < 0) result.failed.push_back(reg);
  }
  RegisterSet around(virtual_registers);
  for (Register reg : result.failed) around.unite(graph.edges[reg]);
  around.for_each([&](Register reg) { result.neighbours.push_back(reg); });
  const auto price = [&](Register reg) {
    return std::make_pair(graph.cost[reg] / (graph.degree[reg] + 1.0), reg);
  };
  std::sort(result.neighbours.begin(), result.neighbours.end(),
            [&](Register a, Register b) { return price(a) < price(b); });
  return result;
}

namespace {

bool is_cheap(const ir::Instruction& i) {
  if (i.guarded || i.op == MachineOp::kSt || !i.predicate.none()) return false;
  if (i.op > MachineOp::kMaxS && !i.reads_launch) return false;
  return !i.a.is_register() && !i.b.is_register() && !i.c.is_register();
}

/// Puts a copy of `value`'s making in front of each instruction that reads `reg`.
class Spiller {
 public:
  Spiller(ir::Code& code, Register reg, uint32_t base, std::vector<Register>& made)
      : code_(code), reg_(reg), base_(base), made_(made) {}

  bool run() {
    const auto stable = ir::stable_definitions(code_);
    if (stable[reg_] != nullptr && is_cheap(*stable[reg_])) {
      recipe_ = *stable[reg_];
      recipe_.events.clear();
    } else {
      in_memory_ = true;
    }
    for (ir::Block& block : code_.blocks) rewrite(block);
    return in_memory_;
  }

 private:
  Register fresh() {
    const Register reg = code_.registers++;
    made_.push_back(reg);
    return reg;
  }

  /// The thread's own word is at 4 * thread + base.
  Value own_offset(std::vector<ir::Instruction>& out, const ir::Instruction& like) {
    ir::Instruction shift;
    shift.op = MachineOp::kShl;
    shift.a = Value::thread();
    shift.b = Value::constant(2);
    shift.destination = fresh();
    shift.ptx = like.ptx;
    shift.rule = like.rule;
    out.push_back(shift);
    return Value::reg(shift.destination);
  }

  Register make(std::vector<ir::Instruction>& out, const ir::Instruction& like) {
    ir::Instruction get;
    if (in_memory_) {
      get.op = MachineOp::kLd;
      get.a = own_offset(out, like);
      get.b = Value::constant(base_);
    } else {
      get = recipe_;
    }
    get.destination = fresh();
    get.ptx = like.ptx;
    get.rule = like.rule;
    out.push_back(get);
    return get.destination;
  }

  void rewrite(ir::Block& block) {
    std::vector<ir::Instruction> out;
    for (ir::Instruction& i : block.instructions) {
      bool reads = false;
      ir::for_each_use(i, [&](Value& v) { reads = reads || v == Value::reg(reg_); });
      if (reads) {
        const Register copy = make(out, i);
        ir::for_each_use(i, [&](Value& v) {
          if (v == Value::reg(reg_)) v = Value::reg(copy);
        });
      }
      const bool writes = i.destination == reg_;
      if (writes && in_memory_) i.destination = fresh();
      out.push_back(i);
      if (!writes || !in_memory_) continue;
      ir::Instruction put;
      put.op = MachineOp::kSt;
      put.c = Value::reg(i.destination);
      put.a = own_offset(out, i);
      put.b = Value::constant(base_);
      put.ptx = i.ptx;
      put.rule = i.rule;
      out.push_back(put);
    }
    if (block.predicate == Value::reg(reg_)) {
      ir::Instruction like;
      like.ptx = block.ptx;
      block.predicate = Value::reg(make(out, like));
    }
    block.instructions = std::move(out);
  }

  ir::Code& code_;
  Register reg_;
  uint32_t base_;
  std::vector<Register>& made_;
  ir::Instruction recipe_;
  bool in_memory_ = false;
};

}  // namespace

void spill(ir::Code& code, Register reg, uint32_t base, bool& used_memory,
           std::vector<Register>& made) {
  used_memory = Spiller(code, reg, base, made).run();
}

}  // namespace warplock::circuit
