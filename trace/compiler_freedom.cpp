#include "trace/compiler_freedom.h"

#include <algorithm>

namespace warplock::trace {

Writes without_repeats(const Side& side, const History& history, uint32_t cell,
                       const Writes& writes) {
  std::span<const uint32_t> all = history.writes(cell);
  Writes out;
  for (uint32_t write : writes) {
    const Event& event = side.event(write);
    auto at = std::lower_bound(all.begin(), all.end(), write);
    if (event.kind == EventKind::kStore && at != all.begin()) {
      uint32_t previous = *std::prev(at);
      const Event& before = side.event(previous);
      if (before.kind == EventKind::kStore &&
          side.streams.thread(previous) == side.streams.thread(write) &&
          history.piece(previous, before.value, cell) == history.piece(write, event.value, cell)) {
        continue;
      }
    }
    out.push_back(write);
  }
  return out;
}

Writes only_visible(const Side& side, const History& history, uint32_t cell, const Writes& writes) {
  std::span<const uint32_t> all = history.writes(cell);
  Writes out;
  for (uint32_t write : writes) {
    const Event& event = side.event(write);
    auto at = std::lower_bound(all.begin(), all.end(), write);
    if (event.kind == EventKind::kStore) {
      uint64_t stored = history.piece(write, event.value, cell);
      auto next = std::next(at);
      bool dead = next != all.end() && side.event(*next).kind == EventKind::kStore &&
                  side.streams.thread(*next) == side.streams.thread(write) &&
                  !history.is_read_between(cell, write, *next);
      bool silent = false;
      if (at != all.begin()) {
        const Event& before = side.event(*std::prev(at));
        silent = before.kind == EventKind::kStore &&
                 history.piece(*std::prev(at), before.value, cell) == stored;
      } else if (uint32_t reader = history.first_reader(cell); reader != kNone) {
        const Event& read = side.event(reader);
        uint64_t seen = read.kind == EventKind::kAtomic ? read.old : read.value;
        silent = history.piece(reader, seen, cell) == stored;
      }
      if (dead || silent) continue;
    }
    out.push_back(write);
  }
  return out;
}

}  // namespace warplock::trace
