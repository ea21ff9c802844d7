#include "trace/memory.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::trace {

Cells::Cells(const Streams& left, const Streams& right, const Threads& threads,
             const Matching& matching, bool with_local) {
  struct Group {
    uint32_t object;
    std::vector<uint64_t> cuts;
    uint32_t first_cell = 0;
  };
  std::vector<Group> groups;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;  // object, instance

  auto each_access = [&](bool is_left, auto f) {
    const Streams& streams = is_left ? left : right;
    const std::vector<uint32_t>& objects =
        is_left ? matching.left().objects : matching.right().objects;
    std::pair<uint32_t, uint32_t> last{kNone, kNone};
    uint32_t group = 0;
    for (uint32_t i = 0; i < streams.size(); ++i) {
      const Event& event = streams.event(i);
      if (streams.thread(i) == kNone || !is_memory(event.kind)) continue;
      Space space = event.space;
      if (space == Space::kLocal && !with_local) continue;
      uint32_t instance = space == Space::kShared  ? threads.info(streams.thread(i)).group
                          : space == Space::kLocal ? streams.thread(i)
                                                   : 0;
      std::pair<uint32_t, uint32_t> key{objects[event.object], instance};
      if (key != last) {
        auto added = numbers.emplace(key, static_cast<uint32_t>(groups.size()));
        if (added.second) groups.push_back({key.first, {}});
        group = added.first->second;
        last = key;
      }
      f(i, groups[group], event);
    }
  };

  for (bool is_left : {true, false}) {
    each_access(is_left, [](uint32_t, Group& group, const Event& event) {
      group.cuts.push_back(event.offset);
      group.cuts.push_back(event.offset + event.width);
    });
  }
  for (Group& group : groups) {
    std::sort(group.cuts.begin(), group.cuts.end());
    group.cuts.erase(std::unique(group.cuts.begin(), group.cuts.end()), group.cuts.end());
    group.first_cell = static_cast<uint32_t>(cells_.size());
    for (size_t i = 0; i + 1 < group.cuts.size(); ++i) {
      cells_.push_back({group.object, group.cuts[i], group.cuts[i + 1] - group.cuts[i]});
    }
  }
  for (bool is_left : {true, false}) {
    Ranges& ranges = is_left ? left_ : right_;
    ranges.first.assign((is_left ? left : right).size(), 0);
    ranges.count.assign((is_left ? left : right).size(), 0);
    each_access(is_left, [&](uint32_t i, Group& group, const Event& event) {
      auto begin = std::lower_bound(group.cuts.begin(), group.cuts.end(), event.offset);
      auto end = begin;
      while (*end != event.offset + event.width) ++end;
      ranges.first[i] = group.first_cell + static_cast<uint32_t>(begin - group.cuts.begin());
      ranges.count[i] = static_cast<uint8_t>(end - begin);
    });
  }
}

History::History(const Streams& streams, const Cells& cells,
                 Cells::Range (Cells::*range_of)(uint32_t) const, const FixedOrder& order,
                 const std::vector<InstructionFacts>& facts)
    : streams_(streams),
      cells_(cells),
      range_(range_of),
      order_(order),
      facts_(facts),
      begin_(cells.size() + 1, 0) {
  auto each_write = [&](auto f) {
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      if (streams_.thread(i) == kNone || !is_write(streams_.event(i).kind)) continue;
      Cells::Range r = range(i);
      for (uint32_t cell = r.first; cell < r.first + r.count; ++cell) f(i, cell);
    }
  };
  each_write([&](uint32_t, uint32_t cell) { ++begin_[cell + 1]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  writes_.resize(begin_.back());
  std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
  each_write([&](uint32_t event, uint32_t cell) { writes_[next[cell]++] = event; });
}

uint32_t History::read_from(uint32_t reader, uint32_t cell) const {
  std::span<const uint32_t> all = writes(cell);
  auto at = std::lower_bound(all.begin(), all.end(), reader);
  return at == all.begin() ? kNone : *std::prev(at);
}

uint64_t History::piece(uint32_t event, uint64_t value, uint32_t cell) const {
  const Cells::Cell& c = cells_.cell(cell);
  uint64_t shift = 8 * (c.offset - streams_.event(event).offset);
  return (shift >= 64 ? 0 : value >> shift) & mask_of(static_cast<uint32_t>(c.width));
}

History::Content History::after(uint32_t write, uint32_t cell) const {
  const Event& event = streams_.event(write);
  uint64_t value = event.value, alternative = event.value;
  if (event.kind == EventKind::kAtomic) {
    const AtomicOperation& operation = facts_[event.instruction].atomic;
    if (auto result = operation.result(event.old, event.value, event.width)) {
      value = alternative = *result;
    } else if (operation.op == AtomicOperation::Op::kCas) {
      alternative = event.old;  // it succeeded or it did not
    } else {
      return {};
    }
  }
  return {true, piece(write, value, cell), piece(write, alternative, cell)};
}

void History::prepare_first_readers() const {
  if (!first_readers_.empty()) return;
  first_readers_.assign(cells_.size() + 1, kNone);
  for (uint32_t i = 0; i < streams_.size(); ++i) {
    if (streams_.thread(i) == kNone || !is_read(streams_.event(i).kind)) continue;
    Cells::Range r = range(i);
    for (uint32_t cell = r.first; cell < r.first + r.count; ++cell) {
      if (first_readers_[cell] == kNone && read_from(i, cell) == kNone) first_readers_[cell] = i;
    }
  }
}

uint32_t History::first_reader(uint32_t cell) const {
  prepare_first_readers();
  return first_readers_[cell];
}

bool History::is_read_between(uint32_t cell, uint32_t first, uint32_t second) const {
  if (loads_.empty()) {
    loads_.resize(cells_.size() + 1);
    for (uint32_t i = 0; i < streams_.size(); ++i) {
      if (streams_.thread(i) == kNone || streams_.event(i).kind != EventKind::kLoad) continue;
      Cells::Range r = range(i);
      for (uint32_t at = r.first; at < r.first + r.count; ++at) loads_[at].push_back(i);
    }
  }
  const std::vector<uint32_t>& loads = loads_[cell];
  auto at = std::upper_bound(loads.begin(), loads.end(), first);
  for (; at != loads.end() && *at < second; ++at) {
    if (streams_.thread(*at) != streams_.thread(first)) return true;
  }
  return false;
}

void History::prepare_open() const {
  if (!open_.empty()) return;
  open_.assign(cells_.size() + 1, false);
  // Against the last write, and a write against every read since: when none of these pairs is open,
  // neither is any other.
  std::vector<uint32_t> last_write(cells_.size(), kNone);
  std::vector<std::vector<uint32_t>> reads(cells_.size());
  for (uint32_t i = 0; i < streams_.size(); ++i) {
    if (streams_.thread(i) == kNone) continue;
    const Event& event = streams_.event(i);
    Cells::Range r = range(i);
    for (uint32_t cell = r.first; cell < r.first + r.count; ++cell) {
      if (open_[cell]) continue;
      bool open = last_write[cell] != kNone && order_.open(last_write[cell], i);
      if (is_write(event.kind)) {
        for (uint32_t read : reads[cell]) open = open || order_.open(read, i);
        last_write[cell] = i;
        reads[cell].clear();
      } else {
        reads[cell].push_back(i);
      }
      open_[cell] = open;
    }
  }
}

bool History::is_open(uint32_t cell) const {
  prepare_open();
  return open_[cell];
}

bool History::admits(uint32_t reader, uint32_t cell, uint64_t seen) const {
  std::span<const uint32_t> all = writes(cell);
  auto after_reader = std::lower_bound(all.begin(), all.end(), reader);
  auto holds = [&](uint32_t write) { return after(write, cell).admits(seen); };
  // At the time of the read, by the trace's own order.
  if (after_reader != all.begin() && holds(*std::prev(after_reader))) return true;
  auto initially = [&] {
    uint32_t first = first_reader(cell);
    if (first == kNone) return true;
    const Event& event = streams_.event(first);
    return piece(first, event.kind == EventKind::kAtomic ? event.old : event.value, cell) == seen;
  };
  if (after_reader == all.begin() && initially()) return true;
  if (streams_.event(reader).kind == EventKind::kAtomic) return false;
  // Earlier contents, as long as nothing that overwrote them must be before the read.
  for (auto at = after_reader; at != all.begin();) {
    if (order_.ordered(*--at, reader)) break;
    if (at == all.begin() ? initially() : holds(*std::prev(at))) return true;
  }
  // Later contents, as long as the write need not be after the read.
  for (auto at = after_reader; at != all.end() && !order_.ordered(reader, *at); ++at) {
    if (holds(*at)) return true;
  }
  return false;
}

std::optional<std::string> History::why_impossible(uint32_t reader) const {
  const Event& event = streams_.event(reader);
  uint64_t seen = event.kind == EventKind::kAtomic ? event.old : event.value;
  Cells::Range r = range(reader);
  for (uint32_t cell = r.first; cell < r.first + r.count; ++cell) {
    uint64_t part = piece(reader, seen, cell);
    if (admits(reader, cell, part)) continue;
    uint32_t write = read_from(reader, cell);
    std::string held = "other";
    if (write != kNone) {
      Content content = after(write, cell);
      held = fmt::format("{}", content.value);
      if (content.alternative != content.value) held += fmt::format(" or {}", content.alternative);
    } else if (first_reader(cell) != kNone) {
      const Event& first = streams_.event(first_reader(cell));
      held = fmt::format("{}",
                         piece(first_reader(cell),
                               first.kind == EventKind::kAtomic ? first.old : first.value, cell));
    }
    return fmt::format("{} where the location held {}", part, held);
  }
  return std::nullopt;
}

}  // namespace warplock::trace
