#include "circuit/analysis.h"

#include <algorithm>
#include <functional>

namespace warplock::circuit::ir {

bool RegisterSet::unite(const RegisterSet& other) {
  bool changed = false;
  for (size_t i = 0; i < words_.size(); ++i) {
    const uint64_t united = words_[i] | other.words_[i];
    changed = changed || united != words_[i];
    words_[i] = united;
  }
  return changed;
}

std::vector<uint32_t> successors(const Block& block) {
  std::vector<uint32_t> next;
  if (block.conditional() && block.not_taken != kNoBlock) next.push_back(block.not_taken);
  if (block.taken != kNoBlock && (next.empty() || next[0] != block.taken)) {
    next.push_back(block.taken);
  }
  return next;
}

std::vector<std::vector<uint32_t>> predecessors(const Code& code) {
  std::vector<std::vector<uint32_t>> result(code.blocks.size());
  for (uint32_t b = 0; b < code.blocks.size(); ++b) {
    for (uint32_t next : successors(code.blocks[b])) result[next].push_back(b);
  }
  return result;
}

void step_back(const Instruction& instruction, RegisterSet& live) {
  if (instruction.writes()) live.remove(instruction.destination);
  for_each_use(instruction, [&](const Value& value) {
    if (value.is_register()) live.add(value.value);
  });
}

Liveness liveness(const Code& code) {
  Liveness result;
  result.in.assign(code.blocks.size(), RegisterSet(code.registers));
  result.out = result.in;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = code.blocks.size(); b-- > 0;) {
      const Block& block = code.blocks[b];
      for (uint32_t next : successors(block)) result.out[b].unite(result.in[next]);
      RegisterSet live = result.out[b];
      if (block.predicate.is_register()) live.add(block.predicate.value);
      for (size_t i = block.instructions.size(); i-- > 0;) step_back(block.instructions[i], live);
      changed = result.in[b].unite(live) || changed;
    }
  }
  return result;
}

std::vector<const Instruction*> stable_definitions(const Code& code) {
  std::vector<const Instruction*> definitions(code.registers, nullptr);
  std::vector<uint32_t> counts(code.registers, 0);
  for (const Block& block : code.blocks) {
    for (const Instruction& instruction : block.instructions) {
      if (!instruction.writes()) continue;
      ++counts[instruction.destination];
      definitions[instruction.destination] = &instruction;
    }
  }
  const Liveness live = liveness(code);
  for (Register reg = 0; reg < code.registers; ++reg) {
    if (counts[reg] != 1 || live.in[0].has(reg)) definitions[reg] = nullptr;
  }
  return definitions;
}

namespace {

std::vector<uint32_t> reverse_postorder(const Code& code) {
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(code.blocks.size(), 0);
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    const uint32_t block = stack.back().first;
    const std::vector<uint32_t> next = successors(code.blocks[block]);
    if (stack.back().second == next.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const uint32_t to = next[stack.back().second++];
    if (seen[to] != 0) continue;
    seen[to] = 1;
    stack.emplace_back(to, 0);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<uint32_t> dominators(const Code& code) {
  const std::vector<uint32_t> order = reverse_postorder(code);
  std::vector<uint32_t> number(code.blocks.size(), kNoBlock), result(code.blocks.size(), kNoBlock);
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  const auto before = predecessors(code);
  result[0] = 0;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] > number[b]) a = result[a];
      while (number[b] > number[a]) b = result[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block : order) {
      if (block == 0) continue;
      uint32_t nearest = kNoBlock;
      for (uint32_t from : before[block]) {
        if (number[from] == kNoBlock || result[from] == kNoBlock) continue;
        nearest = nearest == kNoBlock ? from : common(nearest, from);
      }
      if (nearest != result[block]) {
        result[block] = nearest;
        changed = true;
      }
    }
  }
  result[0] = kNoBlock;
  return result;
}

namespace {

/// The natural loops: for every block, the headers of the loops that it is in.
std::vector<std::vector<uint32_t>> loops_of(const Code& code) {
  const std::vector<uint32_t> above = dominators(code);
  const auto before = predecessors(code);
  const auto dominates = [&](uint32_t a, uint32_t b) {
    while (b != kNoBlock && b != a) b = above[b];
    return b == a;
  };
  std::vector<std::vector<uint32_t>> loops(code.blocks.size());
  for (uint32_t header = 0; header < code.blocks.size(); ++header) {
    std::vector<uint32_t> work;
    for (uint32_t from : before[header]) {
      if ((from == 0 || above[from] != kNoBlock) && dominates(header, from)) work.push_back(from);
    }
    if (work.empty()) continue;
    std::vector<uint8_t> inside(code.blocks.size(), 0);
    inside[header] = 1;
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      if (inside[block] != 0) continue;
      inside[block] = 1;
      for (uint32_t from : before[block]) work.push_back(from);
    }
    for (uint32_t block = 0; block < code.blocks.size(); ++block) {
      if (inside[block] != 0) loops[block].push_back(header);
    }
  }
  return loops;
}

}  // namespace

/// Depth-first, so that a block is numbered below everything it reaches first; at a branch the
/// successor outside the current loop is visited first, and so comes last.
std::vector<uint32_t> converging_order(const Code& code) {
  const auto loops = loops_of(code);
  const auto shared_depth = [&](uint32_t a, uint32_t b) {
    size_t depth = 0;
    for (uint32_t header : loops[a]) {
      if (std::find(loops[b].begin(), loops[b].end(), header) != loops[b].end()) ++depth;
    }
    return depth;
  };
  std::vector<uint32_t> order;
  std::vector<uint8_t> seen(code.blocks.size(), 0);
  struct Visit {
    uint32_t block;
    std::vector<uint32_t> next;
    size_t at;
  };
  const auto visit = [&](uint32_t block) {
    std::vector<uint32_t> next = successors(code.blocks[block]);
    if (next.size() == 2 && shared_depth(block, next[1]) < shared_depth(block, next[0])) {
      std::swap(next[0], next[1]);
    }
    return Visit{block, std::move(next), 0};
  };
  std::vector<Visit> stack;
  stack.push_back(visit(0));
  seen[0] = 1;
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.at == top.next.size()) {
      order.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const uint32_t to = top.next[top.at++];
    if (seen[to] != 0) continue;
    seen[to] = 1;
    stack.push_back(visit(to));
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace warplock::circuit::ir
