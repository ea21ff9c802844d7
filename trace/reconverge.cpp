#include "trace/reconverge.h"

#include <unordered_set>
#include <utility>

namespace warplock::trace {

Reconvergence::Reconvergence(const Streams& left, const std::vector<uint32_t>& left_numbers,
                             const Streams& right, const std::vector<uint32_t>& right_numbers,
                             size_t threads, uint32_t instructions)
    : instructions_(instructions) {
  const uint32_t start = instructions, end = instructions + 1, nodes = instructions + 2;
  std::unordered_set<uint64_t> edges;
  std::vector<std::vector<uint32_t>> successors(nodes), predecessors(nodes);
  auto add = [&](uint32_t from, uint32_t to) {
    if (from == to || !edges.insert(uint64_t{from} << 32 | to).second) return;
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  };
  for (bool is_left : {true, false}) {
    const Streams& streams = is_left ? left : right;
    const std::vector<uint32_t>& numbers = is_left ? left_numbers : right_numbers;
    for (uint32_t thread = 0; thread < threads; ++thread) {
      uint32_t from = start;
      for (uint32_t index : streams.of(thread)) {
        uint32_t to = numbers[streams.event(index).instruction];
        add(from, to);
        from = to;
      }
      add(from, end);
    }
  }
  // Dominators of the reversed graph, by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
  // Algorithm": first the post-order from the end.
  std::vector<uint32_t> order, number(nodes, kNone);
  std::vector<bool> seen(nodes, false);
  std::vector<std::pair<uint32_t, size_t>> stack{{end, 0}};
  seen[end] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < predecessors[node].size()) {
      uint32_t to = predecessors[node][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
      continue;
    }
    number[node] = static_cast<uint32_t>(order.size());
    order.push_back(node);
    stack.pop_back();
  }
  immediate_.assign(nodes, kNone);
  immediate_[end] = end;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = immediate_[a];
      while (number[b] < number[a]) b = immediate_[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      uint32_t node = order[i], found = kNone;
      for (uint32_t to : successors[node]) {
        if (immediate_[to] == kNone) continue;
        found = found == kNone ? to : meet(found, to);
      }
      if (found != immediate_[node]) {
        immediate_[node] = found;
        changed = true;
      }
    }
  }
}

uint32_t Reconvergence::after(uint32_t instruction) const {
  uint32_t node = instruction == kNone ? instructions_ : instruction;
  uint32_t found = immediate_[node];
  return found == kNone || found >= instructions_ ? kEnd : found;
}

std::optional<std::vector<uint32_t>> executed_between(const Streams& streams, uint32_t thread,
                                                      uint32_t begin, uint32_t end) {
  std::span<const uint32_t> events = streams.of(thread);
  std::vector<uint32_t> out;
  if (begin == 0) return std::nullopt;
  for (uint32_t i = begin; i <= end; ++i) {
    const Event& from = streams.event(events[i - 1]);
    const Event& to = streams.event(events[i]);
    const uint32_t last = streams.trace().instructions[from.instruction].ptx_index;
    const uint32_t stop_at = streams.trace().instructions[to.instruction].ptx_index;
    bool jumps = from.kind == EventKind::kBranch && from.value != 0;
    uint64_t next = jumps ? from.value - 1 : uint64_t{last} + 1;
    if (next > stop_at && from.instruction != to.instruction) return std::nullopt;
    for (; next < stop_at; ++next) out.push_back(static_cast<uint32_t>(next));
    if (i < end) out.push_back(stop_at);
  }
  return out;
}

}  // namespace warplock::trace
