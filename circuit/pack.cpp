#include "circuit/pack.h"

#include <algorithm>
#include <random>

#include "circuit/analysis.h"
#include "circuit/emitter.h"

namespace warplock::circuit {

namespace {

using ir::Instruction;
using ir::Value;

bool makes_predicate(const Instruction& i) {
  return i.op == MachineOp::kLtU || i.op == MachineOp::kLtS || i.op == MachineOp::kEq ||
         i.op == MachineOp::kVoteAny || i.op == MachineOp::kVoteAll;
}

/// The predicate has to come from a slot: operand c is taken.
bool wants_slot(const Instruction& i) {
  return i.guarded && !i.predicate.none();
}

constexpr int kOutside = -1;

/// Which accesses keep their order.
struct Address {
  int base = kOutside;  ///< the instruction that makes the register, or kOutside
  Value a, b;
};

bool disjoint(const Address& x, const Address& y) {
  if (!x.b.is_constant() || !y.b.is_constant()) return false;
  if (!(x.a == y.a) || x.base != y.base) return false;
  // Equal bases: their low two bits drop out of both or of none only if offsets are words.
  return ((x.b.value ^ y.b.value) & 3) == 0 && x.b.value != y.b.value;
}

struct Node {
  const Instruction* instruction = nullptr;
  std::array<int, 4> from{kOutside, kOutside, kOutside, kOutside};  ///< of a, b, c, predicate
  std::vector<std::array<int, 5>> event_from;                       ///< of the sources of events
  std::vector<int> before;                                          ///< in an earlier slot or block
  std::vector<int> not_after;    ///< in the same or an earlier block
  std::vector<int> long_before;  ///< in an earlier block
  uint32_t height = 0;           ///< instructions on the longest way that depend on it
};

/// One attempt: which node, or which test of a predicate, stands where.
struct Slot {
  int node = kOutside;
  Value test;  ///< of a register made outside, or by `test_node`
  int test_node = kOutside;
  bool is_test = false;
};
struct Attempt {
  std::vector<std::vector<Slot>> blocks;  ///< in order of slots; a store stands last
  std::vector<int> block_of;
  uint32_t slots_used = 0;
  uint64_t pressure = 0;
};

class BlockPacker {
 public:
  BlockPacker(const ir::Block& block, const ir::RegisterSet& live_out, uint32_t slots)
      : block_(block), live_out_(live_out), slots_(slots) {
    build();
  }

  std::vector<PackedBlock> run() {
    const size_t stores =
        static_cast<size_t>(std::count_if(nodes_.begin(), nodes_.end(), [](const Node& n) {
          return n.instruction->op == MachineOp::kSt;
        }));
    const size_t least = std::max<size_t>({1, stores, (nodes_.size() + slots_ - 1) / slots_});
    std::mt19937 random(12345);
    std::optional<Attempt> best;
    const auto better = [](const Attempt& a, const Attempt& b) {
      if (a.blocks.size() != b.blocks.size()) return a.blocks.size() < b.blocks.size();
      return a.pressure < b.pressure;
    };
    constexpr int kAttempts = 240;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::vector<double> priority(nodes_.size());
      const double noise = attempt == 0 ? 0 : 0.5 * (attempt % 12);
      const double urgency = attempt % 3 == 0 ? 0 : attempt % 3 == 1 ? 1 : 3;
      for (size_t n = 0; n < nodes_.size(); ++n) {
        priority[n] = static_cast<double>(n) - urgency * nodes_[n].height +
                      noise * static_cast<double>(random() % 1000) / 250.0;
      }
      Attempt made = schedule(priority, attempt % 2 == 0);
      if (!best || better(made, *best)) best = std::move(made);
      if (attempt >= 40 && best->blocks.size() <= least) break;
    }
    return emit(*best);
  }

 private:
  void build() {
    std::vector<int> writer_of;  // by register, grown as needed
    std::vector<std::vector<int>> readers_of;
    const auto grow = [&](ir::Register reg) {
      if (writer_of.size() <= reg) {
        writer_of.resize(reg + 1, kOutside);
        readers_of.resize(reg + 1);
      }
    };
    std::vector<int> loads, stores;
    std::vector<Address> addresses(block_.instructions.size());
    std::vector<std::pair<int, bool>> memory;  // node, is a store
    size_t fence_at = 0;  // accesses before this index of `memory` are fenced off
    for (const Instruction& i : block_.instructions) {
      if (i.is_fence) {
        fence_at = memory.size();
        continue;
      }
      const int number = static_cast<int>(nodes_.size());
      Node node;
      node.instruction = &i;
      const Value* uses[4] = {&i.a, &i.b, &i.c, &i.predicate};
      for (int k = 0; k < 4; ++k) {
        if (!uses[k]->is_register()) continue;
        grow(uses[k]->value);
        node.from[static_cast<size_t>(k)] = writer_of[uses[k]->value];
        if (writer_of[uses[k]->value] != kOutside) node.before.push_back(writer_of[uses[k]->value]);
      }
      for (int k = 0; k < 4; ++k) {
        if (uses[k]->is_register()) readers_of[uses[k]->value].push_back(number);
      }
      for (const ir::Event& event : i.events) {
        std::array<int, 5> from;
        const Value* values[5] = {&event.value.value, &event.high.value, &event.old.value,
                                  &event.address.value, &event.condition};
        for (size_t k = 0; k < 5; ++k) {
          from[k] = kOutside;
          if (!values[k]->is_register()) continue;
          grow(values[k]->value);
          from[k] = writer_of[values[k]->value];
          if (from[k] != kOutside) node.before.push_back(from[k]);
          readers_of[values[k]->value].push_back(number);
        }
        node.event_from.push_back(from);
      }
      if (i.writes()) {
        grow(i.destination);
        for (int reader : readers_of[i.destination]) {
          if (reader != number) node.not_after.push_back(reader);
        }
        if (writer_of[i.destination] != kOutside) {
          node.long_before.push_back(writer_of[i.destination]);
        }
        writer_of[i.destination] = number;
        readers_of[i.destination].clear();
      }
      if (i.op == MachineOp::kLd || i.op == MachineOp::kSt) {
        const bool store = i.op == MachineOp::kSt;
        Address address{node.from[0], i.a, i.b};
        for (size_t m = 0; m < memory.size(); ++m) {
          const bool fenced = m < fence_at;
          const bool earlier_store = memory[m].second;
          if (!fenced && !earlier_store && !store) continue;
          if (!fenced && disjoint(addresses[static_cast<size_t>(memory[m].first)], address))
            continue;
          if (earlier_store) {
            node.long_before.push_back(memory[m].first);
          } else if (store) {
            node.not_after.push_back(memory[m].first);
          } else {
            node.before.push_back(memory[m].first);
          }
        }
        addresses[static_cast<size_t>(number)] = address;
        memory.emplace_back(number, store);
      }
      nodes_.push_back(std::move(node));
    }
    for (size_t n = nodes_.size(); n-- > 0;) {
      for (const std::vector<int>* list : {&nodes_[n].before, &nodes_[n].long_before}) {
        for (int b : *list) {
          Node& other = nodes_[static_cast<size_t>(b)];
          other.height = std::max(other.height, nodes_[n].height + 1);
        }
      }
    }
    final_writer_ = writer_of;
    if (block_.predicate.is_register()) {
      grow(block_.predicate.value);
      branch_node_ = writer_of[block_.predicate.value];
    }
  }

  /// Where in this block the predicate of `value`, made by node `maker`, can be had; -1: nowhere.
  int predicate_slot(const std::vector<Slot>& slots, const Value& value, int maker) const {
    for (size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].is_test) {
        if (slots[s].test == value && slots[s].test_node == maker) return static_cast<int>(s);
      } else if (maker != kOutside && slots[s].node == maker &&
                 makes_predicate(*nodes_[static_cast<size_t>(maker)].instruction) &&
                 !nodes_[static_cast<size_t>(maker)].instruction->guarded) {
        return static_cast<int>(s);
      }
    }
    return -1;
  }

  Attempt schedule(const std::vector<double>& priority, bool delay_branch) const {
    Attempt attempt;
    const size_t count = nodes_.size();
    attempt.block_of.assign(count, kOutside);
    std::vector<size_t> order(count);
    for (size_t n = 0; n < count; ++n) order[n] = n;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::make_pair(priority[a], a) < std::make_pair(priority[b], b);
    });
    // What the branch hangs on goes last, together with what depends on it.
    std::vector<bool> late(count, false);
    if (delay_branch && branch_node_ != kOutside &&
        makes_predicate(*nodes_[static_cast<size_t>(branch_node_)].instruction)) {
      late[static_cast<size_t>(branch_node_)] = true;
      for (size_t n = static_cast<size_t>(branch_node_) + 1; n < count; ++n) {
        for (const std::vector<int>* list :
             {&nodes_[n].before, &nodes_[n].not_after, &nodes_[n].long_before}) {
          for (int b : *list) late[n] = late[n] || late[static_cast<size_t>(b)];
        }
      }
    }
    size_t left = count;
    while (left > 0) {
      std::vector<Slot> slots;
      std::optional<Slot> store;
      const int number = static_cast<int>(attempt.blocks.size());
      const size_t left_before = left;
      for (bool placed = true; placed;) {
        placed = false;
        for (size_t n : order) {
          if (attempt.block_of[n] != kOutside || !ready(n, attempt.block_of, number)) continue;
          const size_t used = slots.size() + (store ? 1 : 0);
          if (late[n] && left > slots_ - used) continue;
          const Instruction& i = *nodes_[n].instruction;
          const bool is_store = i.op == MachineOp::kSt;
          if (is_store && store) continue;
          const bool test =
              wants_slot(i) && predicate_slot(slots, i.predicate, nodes_[n].from[3]) < 0;
          if (used + 1 + (test ? 1 : 0) > slots_) continue;
          if (test) slots.push_back(test_of(i.predicate, nodes_[n].from[3]));
          Slot slot;
          slot.node = static_cast<int>(n);
          if (is_store) {
            store = slot;
          } else {
            slots.push_back(slot);
          }
          attempt.block_of[n] = number;
          --left;
          placed = true;
          break;
        }
      }
      if (store) {
        while (slots.size() + 1 < slots_) slots.push_back(Slot{});
        slots.push_back(*store);
      }
      attempt.blocks.push_back(std::move(slots));
      if (left == left_before) {
        // Only late nodes are left, and they do not fit one block together.
        std::fill(late.begin(), late.end(), false);
        attempt.blocks.pop_back();
      }
    }
    if (attempt.blocks.empty()) attempt.blocks.emplace_back();
    sink(attempt);
    add_branch_test(attempt);
    attempt.pressure = pressure(attempt);
    return attempt;
  }

  /// Moves what needs few registers itself as late as it can stand, into empty slots: its result is
  /// then carried over fewer blocks.
  void sink(Attempt& attempt) const {
    for (size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      const int own = attempt.block_of[n];
      const auto inputs = std::count_if(node.from.begin(), node.from.end(),
                                        [](int from) { return from != kOutside; });
      if (node.instruction->op == MachineOp::kSt || wants_slot(*node.instruction) || inputs > 1 ||
          static_cast<int>(n) == branch_node_) {
        continue;
      }
      const int latest = latest_block(attempt, n);
      for (int to = latest; to > own; --to) {
        if (!insert(attempt.blocks[static_cast<size_t>(to)], n)) continue;
        std::vector<Slot>& old = attempt.blocks[static_cast<size_t>(own)];
        const size_t at = static_cast<size_t>(slot_of(old, static_cast<int>(n)));
        old.erase(old.begin() + static_cast<ptrdiff_t>(at));
        keep_store_last(old);
        attempt.block_of[n] = to;
        break;
      }
    }
    while (attempt.blocks.size() > 1 && is_empty(attempt.blocks.back())) attempt.blocks.pop_back();
  }

  static bool is_empty(const std::vector<Slot>& slots) {
    return std::all_of(slots.begin(), slots.end(),
                       [](const Slot& slot) { return slot.node == kOutside && !slot.is_test; });
  }

  /// The last block that node `n` can be in with everything else where it is; its own when
  /// something there hangs on it.
  int latest_block(const Attempt& attempt, size_t n) const {
    const int own = attempt.block_of[n];
    int latest = static_cast<int>(attempt.blocks.size()) - 1;
    for (const std::vector<Slot>& slots : attempt.blocks) {
      for (const Slot& slot : slots) {
        if (slot.is_test && slot.test_node == static_cast<int>(n)) return own;
      }
    }
    const auto has = [n](const std::vector<int>& list) {
      return std::find(list.begin(), list.end(), static_cast<int>(n)) != list.end();
    };
    for (size_t m = 0; m < nodes_.size(); ++m) {
      const int block = attempt.block_of[m];
      if (nodes_[m].from[3] == static_cast<int>(n)) return own;  // its predicate, perhaps
      if (has(nodes_[m].before) || has(nodes_[m].not_after)) latest = std::min(latest, block);
      if (has(nodes_[m].long_before)) latest = std::min(latest, block - 1);
    }
    return latest;
  }

  /// Puts node `n` into the block in front of what reads it; false when there is no room.
  bool insert(std::vector<Slot>& slots, size_t n) const {
    const auto used = std::count_if(slots.begin(), slots.end(), [](const Slot& slot) {
      return slot.node != kOutside || slot.is_test;
    });
    if (static_cast<size_t>(used) >= slots_) return false;
    size_t at = 0;
    while (at < slots.size()) {
      const int other = slots[at].node;
      if (other == kOutside && !slots[at].is_test) break;
      if (!slots[at].is_test && other != kOutside) {
        const Node& reader = nodes_[static_cast<size_t>(other)];
        const bool is_store = reader.instruction->op == MachineOp::kSt;
        const bool reads = std::find(reader.before.begin(), reader.before.end(),
                                     static_cast<int>(n)) != reader.before.end();
        if (is_store || reads) break;
      }
      ++at;
    }
    Slot slot;
    slot.node = static_cast<int>(n);
    slots.insert(slots.begin() + static_cast<ptrdiff_t>(at), slot);
    keep_store_last(slots);
    return true;
  }

  /// Empty slots only in front of a store, which stands last.
  void keep_store_last(std::vector<Slot>& slots) const {
    std::vector<Slot> kept;
    std::optional<Slot> store;
    for (const Slot& slot : slots) {
      if (slot.is_test ||
          (slot.node != kOutside &&
           nodes_[static_cast<size_t>(slot.node)].instruction->op != MachineOp::kSt)) {
        kept.push_back(slot);
      } else if (slot.node != kOutside) {
        store = slot;
      }
    }
    if (store) {
      kept.resize(slots_ - 1);
      kept.push_back(*store);
    }
    slots = std::move(kept);
  }

  bool ready(size_t n, const std::vector<int>& block_of, int number) const {
    const Node& node = nodes_[n];
    const auto done = [&](int b) { return block_of[static_cast<size_t>(b)] != kOutside; };
    if (!std::all_of(node.before.begin(), node.before.end(), done)) return false;
    if (!std::all_of(node.not_after.begin(), node.not_after.end(), done)) return false;
    return std::all_of(node.long_before.begin(), node.long_before.end(),
                       [&](int b) { return done(b) && block_of[static_cast<size_t>(b)] < number; });
  }

  static Slot test_of(const Value& value, int maker) {
    Slot slot;
    slot.is_test = true;
    slot.test = value;
    slot.test_node = maker;
    return slot;
  }

  void add_branch_test(Attempt& attempt) const {
    if (!block_.predicate.is_register()) return;
    std::vector<Slot>& last = attempt.blocks.back();
    if (predicate_slot(last, block_.predicate, branch_node_) >= 0) return;
    const Slot test = test_of(block_.predicate, branch_node_);
    for (Slot& slot : last) {  // an empty slot in front of a store
      if (slot.node == kOutside && !slot.is_test) {
        slot = test;
        return;
      }
    }
    if (last.size() < slots_) {
      last.push_back(test);
    } else {
      attempt.blocks.push_back({test});
    }
  }

  /// How many results are carried over how many block boundaries.
  uint64_t pressure(const Attempt& attempt) const {
    uint64_t sum = 0;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n].instruction->writes()) continue;
      int last = attempt.block_of[n];
      for (size_t m = 0; m < nodes_.size(); ++m) {
        for (int from : nodes_[m].from) {
          if (from == static_cast<int>(n)) last = std::max(last, attempt.block_of[m]);
        }
      }
      sum += static_cast<uint64_t>(last - attempt.block_of[n]);
      if (live_out_.has(nodes_[n].instruction->destination)) {
        sum += attempt.blocks.size() - static_cast<size_t>(attempt.block_of[n]);
      }
    }
    return sum;
  }

  bool is_kept(const Attempt& attempt, size_t n) const {
    const ir::Register reg = nodes_[n].instruction->destination;
    if (reg == ir::kNoRegister) return false;
    if (live_out_.has(reg) && final_writer_[reg] == static_cast<int>(n)) return true;
    for (size_t m = 0; m < nodes_.size(); ++m) {
      for (int from : nodes_[m].from) {
        if (from == static_cast<int>(n) && attempt.block_of[m] != attempt.block_of[n]) return true;
      }
    }
    for (size_t b = 0; b < attempt.blocks.size(); ++b) {
      for (const Slot& slot : attempt.blocks[b]) {
        if (slot.is_test && slot.test_node == static_cast<int>(n) &&
            static_cast<int>(b) != attempt.block_of[n]) {
          return true;
        }
      }
    }
    return false;
  }

  static int slot_of(const std::vector<Slot>& slots, int node) {
    for (size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].node == node && !slots[s].is_test) return static_cast<int>(s);
    }
    return -1;
  }

  std::vector<PackedBlock> emit(const Attempt& attempt) const {
    std::vector<PackedBlock> result;
    for (size_t b = 0; b < attempt.blocks.size(); ++b) {
      const std::vector<Slot>& slots = attempt.blocks[b];
      PackedBlock packed;
      packed.slots.resize(slots_);
      packed.first = b == 0;
      for (size_t s = 0; s < slots.size(); ++s) {
        if (slots[s].is_test) {
          packed.slots[s] = emit_test(slots, slots[s]);
        } else if (slots[s].node != kOutside) {
          packed.slots[s] = emit_node(attempt, slots, static_cast<size_t>(slots[s].node));
        }
      }
      result.push_back(std::move(packed));
    }
    finish(attempt, result);
    return result;
  }

  PackedInstruction emit_test(const std::vector<Slot>& slots, const Slot& slot) const {
    PackedInstruction packed;
    packed.is_test = true;
    packed.instruction.op = MachineOp::kEq;
    packed.instruction.a = slot.test;
    packed.instruction.b = Value::constant(0);
    packed.instruction.ptx = block_.ptx;
    if (slot.test_node != kOutside) {
      packed.from[0] = static_cast<int8_t>(slot_of(slots, slot.test_node));
      packed.instruction.ptx = nodes_[static_cast<size_t>(slot.test_node)].instruction->ptx;
    }
    return packed;
  }

  PackedInstruction emit_node(const Attempt& attempt, const std::vector<Slot>& slots,
                              size_t n) const {
    const Node& node = nodes_[n];
    PackedInstruction packed;
    packed.instruction = *node.instruction;
    packed.kept = is_kept(attempt, n);
    for (size_t k = 0; k < 3; ++k) {
      if (node.from[k] != kOutside &&
          attempt.block_of[static_cast<size_t>(node.from[k])] == attempt.block_of[n]) {
        packed.from[k] = static_cast<int8_t>(slot_of(slots, node.from[k]));
      }
    }
    for (const std::array<int, 5>& sources : node.event_from) {
      std::array<int8_t, 5> from{-1, -1, -1, -1, -1};
      for (size_t k = 0; k < 5; ++k) {
        if (sources[k] == kOutside) continue;
        const bool here = attempt.block_of[static_cast<size_t>(sources[k])] == attempt.block_of[n];
        if (here) from[k] = static_cast<int8_t>(slot_of(slots, sources[k]));
      }
      packed.event_from.push_back(from);
    }
    Instruction& i = packed.instruction;
    if (i.predicate.none()) return packed;
    const int slot = predicate_slot(slots, i.predicate, node.from[3]);
    if (slot >= 0) {
      packed.from[3] = static_cast<int8_t>(slot);
      // A test holds where the word is zero.
      if (slots[static_cast<size_t>(slot)].is_test) {
        if (i.guarded) {
          i.predicate_negated = !i.predicate_negated;
        } else {
          packed.from[3] = -1;
        }
      }
    }
    if (packed.from[3] < 0) {
      i.c = i.predicate;
      if (node.from[3] != kOutside &&
          attempt.block_of[static_cast<size_t>(node.from[3])] == attempt.block_of[n]) {
        packed.from[2] = static_cast<int8_t>(slot_of(slots, node.from[3]));
      }
    }
    return packed;
  }

  void finish(const Attempt& attempt, std::vector<PackedBlock>& result) const {
    PackedBlock& last = result.back();
    last.barrier = block_.barrier;
    last.taken_events = block_.taken_events;
    last.not_taken_events = block_.not_taken_events;
    last.passing = block_.passing;
    if (!block_.conditional()) return;
    const std::vector<Slot>& slots = attempt.blocks.back();
    const int slot = predicate_slot(slots, block_.predicate, branch_node_);
    last.predicate = block_.predicate;
    last.branch_slot = static_cast<uint8_t>(slot);
    last.branch_negated = block_.predicate_negated != slots[static_cast<size_t>(slot)].is_test;
  }

  const ir::Block& block_;
  const ir::RegisterSet& live_out_;
  uint32_t slots_;
  std::vector<Node> nodes_;
  std::vector<int> final_writer_;
  int branch_node_ = kOutside;
};

}  // namespace

std::vector<PackedBlock> pack(const ir::Code& code, uint32_t slots) {
  const ir::Liveness live = ir::liveness(code);
  const std::vector<uint32_t> order = ir::converging_order(code);
  std::vector<uint32_t> first(code.blocks.size(), ir::kNoBlock);
  std::vector<PackedBlock> all;
  for (uint32_t b : order) {
    const ir::Block& block = code.blocks[b];
    first[b] = static_cast<uint32_t>(all.size());
    ir::RegisterSet out = live.out[b];
    std::vector<PackedBlock> packed = BlockPacker(block, out, slots).run();
    if (block.serial && packed.size() != 1) {
      throw Unfit("needs more than one block for an atomic operation");
    }
    for (size_t k = 0; k < packed.size(); ++k) {
      packed[k].source = b;
      packed[k].serial = block.serial;
      if (k + 1 < packed.size()) packed[k].taken = static_cast<uint32_t>(all.size() + 1);
      all.push_back(std::move(packed[k]));
    }
    // Targets are filled in once all blocks have their numbers.
    all.back().taken = ir::kNoBlock;
  }
  for (PackedBlock& packed : all) {
    const uint32_t number = static_cast<uint32_t>(&packed - all.data());
    const bool last = number + 1 == all.size() || all[number + 1].first;
    if (!last) continue;
    const ir::Block& block = code.blocks[packed.source];
    const auto target = [&](uint32_t b) { return b == ir::kNoBlock ? b : first[b]; };
    packed.taken = target(block.taken);
    packed.not_taken = block.conditional() ? target(block.not_taken) : ir::kNoBlock;
  }
  return all;
}

}  // namespace warplock::circuit
