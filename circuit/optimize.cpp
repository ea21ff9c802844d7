#include "circuit/optimize.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "circuit/analysis.h"
#include "circuit/fold.h"

namespace warplock::circuit::ir {

namespace {

template <class F>
void for_each_event(Block& block, F f) {
  for (Instruction& instruction : block.instructions) {
    for (Event& event : instruction.events) f(event);
  }
}

/// Replaces a register by a value everywhere, in the sources of events too.
void replace(Code& code, const std::vector<Value>& by) {
  const auto update = [&](Value& value) {
    while (value.is_register() && !by[value.value].none()) value = by[value.value];
  };
  for (Block& block : code.blocks) {
    for (Instruction& instruction : block.instructions) {
      for_each_use(instruction, update);
    }
    for_each_event(block, [&](Event& event) {
      for_each_source(event, [&](Source& source) { update(source.value); });
      update(event.condition);
    });
    update(block.predicate);
  }
}

bool propagate(Code& code) {
  const std::vector<const Instruction*> stable = stable_definitions(code);
  const Definition definition = [&](Register reg) { return stable[reg]; };
  std::vector<Value> by(code.registers);
  bool changed = false;
  for (Block& block : code.blocks) {
    for (Instruction& instruction : block.instructions) {
      if (instruction.opaque || instruction.is_fence) continue;
      bool rewritten = false;
      const std::optional<Value> value = simplify(instruction, definition, rewritten);
      changed = changed || rewritten;
      if (!value || !instruction.writes()) continue;
      const bool replaceable = !value->is_register() || stable[value->value] != nullptr;
      if (stable[instruction.destination] != nullptr && replaceable &&
          by[instruction.destination].none()) {
        by[instruction.destination] = *value;
        changed = true;
      }
      if (instruction.is_copy() && instruction.a == *value) continue;
      instruction.op = MachineOp::kAdd;
      instruction.a = *value;
      instruction.b = Value::constant(0);
      instruction.c = {};
      instruction.predicate = {};
      instruction.guarded = false;
      changed = true;
    }
    while (block.predicate.is_register()) {
      const Instruction* d = stable[block.predicate.value];
      if (d == nullptr || d->guarded || d->op != MachineOp::kXor || !d->b.is_constant(1)) break;
      if (d->a.is_register() && stable[d->a.value] == nullptr) break;
      block.predicate = d->a;
      block.predicate_negated = !block.predicate_negated;
      changed = true;
    }
  }
  // A copy that has been replaced everywhere is dead; do not count it as a change again.
  bool used = false;
  for (Register reg = 0; reg < code.registers; ++reg) used = used || !by[reg].none();
  if (used) replace(code, by);
  return changed;
}

bool is_pure(const Instruction& i) {
  return (i.op <= MachineOp::kMaxS || i.reads_launch) && !i.guarded && !i.opaque && i.writes();
}

/// Constants and copies in registers with several definitions: good from one definition to the
/// next, inside a block.
bool propagate_locally(Code& code) {
  bool changed = false;
  std::vector<Value> known(code.registers);
  for (Block& block : code.blocks) {
    std::vector<Register> valid;
    const auto forget = [&](Register reg) {
      for (Register other : valid) {
        if (other == reg || known[other] == Value::reg(reg)) known[other] = {};
      }
      valid.erase(std::remove_if(valid.begin(), valid.end(),
                                 [&](Register other) { return known[other].none(); }),
                  valid.end());
    };
    const auto use = [&](Value& value) {
      if (!value.is_register() || known[value.value].none()) return;
      value = known[value.value];
      changed = true;
    };
    for (Instruction& i : block.instructions) {
      for_each_use(i, use);
      for (Event& event : i.events) {
        for_each_source(event, [&](Source& source) { use(source.value); });
        use(event.condition);
      }
      if (!i.writes()) continue;
      forget(i.destination);
      if (!i.is_copy() || i.opaque || i.a == Value::reg(i.destination)) continue;
      known[i.destination] = i.a;
      valid.push_back(i.destination);
    }
    use(block.predicate);
    for (Register reg : valid) known[reg] = {};
  }
  return changed;
}

/// Merges equal instructions on stable operands along the dominator tree. Comparisons are merged
/// inside a block only: elsewhere a predicate has to be made anew anyway.
void merge_equal(Code& code) {
  const std::vector<const Instruction*> stable = stable_definitions(code);
  const std::vector<uint32_t> above = dominators(code);
  const auto is_stable = [&](const Value& v) {
    return !v.is_register() || stable[v.value] != nullptr;
  };
  using Key = std::tuple<MachineOp, Value::Kind, uint32_t, Value::Kind, uint32_t, Value::Kind,
                         uint32_t, Value::Kind, uint32_t, bool>;
  std::map<Key, std::vector<std::pair<uint32_t, Register>>> known;
  std::vector<Value> by(code.registers);
  const auto resolve = [&](Value& v) {
    while (v.is_register() && !by[v.value].none()) v = by[v.value];
  };
  const auto dominates = [&](uint32_t a, uint32_t b) {
    while (b != kNoBlock && b != a) b = above[b];
    return b == a;
  };
  for (uint32_t b : converging_order(code)) {
    for (Instruction& i : code.blocks[b].instructions) {
      for_each_use(i, resolve);
      if (!is_pure(i)) continue;
      if (!is_stable(i.a) || !is_stable(i.b) || !is_stable(i.c) || !is_stable(i.predicate))
        continue;
      if (stable[i.destination] == nullptr) continue;
      const bool comparison =
          i.op == MachineOp::kLtU || i.op == MachineOp::kLtS || i.op == MachineOp::kEq;
      auto& list = known[{i.op, i.a.kind, i.a.value, i.b.kind, i.b.value, i.c.kind, i.c.value,
                          i.predicate.kind, i.predicate.value, i.predicate_negated}];
      const auto same = std::find_if(list.begin(), list.end(), [&](const auto& entry) {
        return comparison ? entry.first == b : dominates(entry.first, b);
      });
      if (same == list.end()) {
        list.emplace_back(b, i.destination);
      } else if (!i.is_copy()) {
        by[i.destination] = Value::reg(same->second);
      }
    }
  }
  replace(code, by);
}

/// Where the events of an instruction that is removed can go: to the place in the same block where
/// the value comes from.
void move_events(Block& block, size_t at) {
  Instruction& dead = block.instructions[at];
  for (Event& event : dead.events) {
    if (event.kind != trace::EventKind::kRegister) continue;
    Value from;
    bool flipped = event.value.flipped;
    if (event.value.kind == Source::Kind::kResult) {
      if (dead.guarded) continue;
      if (dead.is_copy()) {
        from = dead.a;
      } else if (dead.op == MachineOp::kXor && dead.b.is_constant(1) && event.width == 1) {
        from = dead.a;
        flipped = !flipped;
      }
    } else {
      from = event.value.value;
    }
    if (!from.is_register()) continue;
    for (size_t k = at; k-- > 0;) {
      Instruction& source = block.instructions[k];
      if (source.destination != from.value) continue;
      if (event.high.kind == Source::Kind::kValue && event.high.value.is_register()) {
        event.high = {};
        event.width = 4;
      }
      event.value = Source::result(flipped);
      source.events.push_back(event);
      break;
    }
  }
}

}  // namespace

void remove_dead(Code& code) {
  std::vector<bool> needed(code.registers, false);
  std::vector<Register> work;
  const auto need = [&](const Value& v) {
    if (v.is_register() && !needed[v.value]) {
      needed[v.value] = true;
      work.push_back(v.value);
    }
  };
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> writers(code.registers);
  const auto stays = [](const Instruction& i) {
    return i.pinned || i.op == MachineOp::kSt || i.is_fence;
  };
  for (uint32_t b = 0; b < code.blocks.size(); ++b) {
    Block& block = code.blocks[b];
    need(block.predicate);
    for (uint32_t k = 0; k < block.instructions.size(); ++k) {
      Instruction& i = block.instructions[k];
      if (i.writes()) writers[i.destination].emplace_back(b, k);
      if (stays(i)) for_each_use(i, need);
      for (Event& event : i.events) {
        if (event.kind == trace::EventKind::kRegister) continue;
        for_each_source(event, [&](Source& source) { need(source.value); });
        need(event.condition);
      }
    }
  }
  while (!work.empty()) {
    const Register reg = work.back();
    work.pop_back();
    for (const auto& place : writers[reg]) {
      for_each_use(code.blocks[place.first].instructions[place.second], need);
    }
  }
  const auto alive = [&](const Value& v) { return !v.is_register() || needed[v.value]; };
  for (Block& block : code.blocks) {
    for (size_t k = block.instructions.size(); k-- > 0;) {
      Instruction& i = block.instructions[k];
      if (stays(i) || (i.writes() && needed[i.destination])) continue;
      move_events(block, k);
      block.instructions.erase(block.instructions.begin() + static_cast<ptrdiff_t>(k));
    }
    for (Instruction& i : block.instructions) {
      for (Event& event : i.events) {
        if (event.kind != trace::EventKind::kRegister) continue;
        if (!alive(event.high.value)) {
          event.high = {};
          event.width = 4;
        }
      }
      std::erase_if(i.events, [&](const Event& event) {
        return event.kind == trace::EventKind::kRegister &&
               (!alive(event.value.value) || !alive(event.condition));
      });
    }
  }
}

namespace {

void append(EdgeEvents& to, const EdgeEvents& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// A block that only passes lanes on.
bool is_empty(const Block& block) {
  return block.instructions.empty() && block.passing.empty() && !block.conditional() &&
         !block.barrier && !block.serial;
}

bool skip_empty(Code& code, Block& from, uint32_t& target, EdgeEvents& events) {
  if (target == kNoBlock || !is_empty(code.blocks[target])) return false;
  const Block& empty = code.blocks[target];
  if (&empty == &from || empty.taken == target) return false;
  if (empty.taken == kNoBlock && from.barrier) return false;
  append(events, empty.taken_events);
  target = empty.taken;
  return true;
}

bool join(Code& code, uint32_t number, const std::vector<std::vector<uint32_t>>& before) {
  Block& block = code.blocks[number];
  if (block.conditional() || block.barrier || block.serial || block.taken == kNoBlock) return false;
  const uint32_t next = block.taken;
  if (next == number || next == 0 || before[next].size() != 1) return false;
  Block& after = code.blocks[next];
  if (after.serial) return false;
  uint32_t last = 0;
  for_each_event(block, [&](const Event& event) { last = std::max(last, event.order + 1); });
  for (const Event& event : block.passing) last = std::max(last, event.order + 1);
  for (Event& event : block.taken_events) {
    event.order = last++;
    block.passing.push_back(event);
  }
  for_each_event(after, [&](Event& event) { event.order += last; });
  for (EdgeEvents* events : {&after.passing, &after.taken_events, &after.not_taken_events}) {
    for (Event& event : *events) event.order += last;
  }
  append(block.passing, after.passing);
  for (Instruction& i : after.instructions) block.instructions.push_back(std::move(i));
  block.predicate = after.predicate;
  block.predicate_negated = after.predicate_negated;
  block.taken = after.taken;
  block.not_taken = after.not_taken;
  block.taken_events = std::move(after.taken_events);
  block.not_taken_events = std::move(after.not_taken_events);
  block.barrier = after.barrier;
  block.ptx = after.ptx;
  after = Block{};
  return true;
}

void drop_unreachable(Code& code) {
  std::vector<uint32_t> order = converging_order(code);
  std::vector<uint32_t> renumbered(code.blocks.size(), kNoBlock);
  for (uint32_t i = 0; i < order.size(); ++i) renumbered[order[i]] = i;
  std::vector<Block> kept;
  kept.reserve(order.size());
  for (uint32_t b : order) {
    Block& block = code.blocks[b];
    if (block.taken != kNoBlock) block.taken = renumbered[block.taken];
    if (!block.conditional()) {
      block.not_taken = kNoBlock;
      block.not_taken_events.clear();
    } else if (block.not_taken != kNoBlock) {
      block.not_taken = renumbered[block.not_taken];
    }
    kept.push_back(std::move(block));
  }
  code.blocks = std::move(kept);
}

}  // namespace

void simplify_blocks(Code& code) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Block& block : code.blocks) {
      if (block.predicate.is_constant()) {
        const bool taken = ((block.predicate.value & 1) != 0) != block.predicate_negated;
        if (!taken) {
          block.taken = block.not_taken;
          block.taken_events = std::move(block.not_taken_events);
        }
        block.predicate = {};
        block.predicate_negated = false;
        block.not_taken = kNoBlock;
        block.not_taken_events.clear();
        changed = true;
      }
      changed = skip_empty(code, block, block.taken, block.taken_events) || changed;
      if (block.conditional()) {
        changed = skip_empty(code, block, block.not_taken, block.not_taken_events) || changed;
      }
    }
    drop_unreachable(code);
    const auto before = predecessors(code);
    for (uint32_t b = 0; b < code.blocks.size(); ++b) {
      if (join(code, b, before)) {
        changed = true;
        break;  // predecessors have changed
      }
    }
    if (changed) drop_unreachable(code);
  }
}

void coalesce(Code& code) {
  for (bool changed = true; changed;) {
    changed = false;
    const Liveness live = liveness(code);
    // Interference at definitions; a copy does not interfere with its source.
    std::vector<RegisterSet> interferes(code.registers, RegisterSet(code.registers));
    for (uint32_t b = 0; b < code.blocks.size(); ++b) {
      const Block& block = code.blocks[b];
      RegisterSet now = live.out[b];
      if (block.predicate.is_register()) now.add(block.predicate.value);
      for (size_t k = block.instructions.size(); k-- > 0;) {
        const Instruction& i = block.instructions[k];
        if (i.writes()) {
          const bool copies = i.is_copy() && i.a.is_register();
          now.for_each([&](Register other) {
            if (other == i.destination || (copies && other == i.a.value)) return;
            interferes[i.destination].add(other);
            interferes[other].add(i.destination);
          });
        }
        step_back(i, now);
      }
    }
    for (Block& block : code.blocks) {
      for (size_t k = 0; k < block.instructions.size() && !changed; ++k) {
        Instruction& i = block.instructions[k];
        if (!i.is_copy() || i.opaque || !i.a.is_register()) continue;
        const Register from = i.a.value, to = i.destination;
        if (from != to && interferes[from].has(to)) continue;
        if (from != to) {
          for (Block& any : code.blocks) {
            for (Instruction& j : any.instructions) {
              if (j.destination == from) j.destination = to;
            }
          }
          std::vector<Value> by(code.registers);
          by[from] = Value::reg(to);
          replace(code, by);
        }
        move_events(block, k);
        block.instructions.erase(block.instructions.begin() + static_cast<ptrdiff_t>(k));
        changed = true;
      }
      if (changed) break;
    }
  }
}

void sink_copies(Code& code) {
  const auto before = predecessors(code);
  for (uint32_t b = 0; b < code.blocks.size(); ++b) {
    if (!code.blocks[b].serial || code.blocks[b].conditional()) continue;
    std::vector<Instruction> sunk;
    std::vector<Instruction>& from = code.blocks[b].instructions;
    for (size_t k = from.size(); k-- > 0;) {
      if (!from[k].is_copy() || !from[k].a.is_register()) continue;
      bool used = false;
      for (size_t later = k + 1; later < from.size(); ++later) {
        for_each_use(from[later],
                     [&](const Value& v) { used = used || v == Value::reg(from[k].destination); });
        used = used || from[later].destination == from[k].a.value;
      }
      if (used) continue;
      sunk.insert(sunk.begin(), from[k]);
      from.erase(from.begin() + static_cast<ptrdiff_t>(k));
    }
    if (sunk.empty()) continue;
    const uint32_t next = code.blocks[b].taken;
    if (next != kNoBlock && before[next].size() == 1 && !code.blocks[next].serial) {
      std::vector<Instruction>& to = code.blocks[next].instructions;
      to.insert(to.begin(), sunk.begin(), sunk.end());
      continue;
    }
    Block between;
    between.instructions = std::move(sunk);
    between.taken = next;
    between.taken_events = std::move(code.blocks[b].taken_events);
    code.blocks[b].taken_events.clear();
    code.blocks[b].taken = static_cast<uint32_t>(code.blocks.size());
    code.blocks.push_back(std::move(between));
  }
}

void optimize(Code& code) {
  simplify_blocks(code);
  split_webs(code);
  for (int round = 0; round < 20; ++round) {
    bool changed = propagate(code);
    changed = propagate_locally(code) || changed;
    merge_equal(code);
    remove_dead(code);
    simplify_blocks(code);
    if (!changed) break;
  }
}

void settle(Code& code) {
  coalesce(code);
  remove_dead(code);
  sink_copies(code);
  simplify_blocks(code);
}

}  // namespace warplock::circuit::ir
