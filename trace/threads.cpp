#include "trace/threads.h"

#include <algorithm>

namespace warplock::trace {

Threads::Threads(const Trace& left, const Trace& right) {
  std::unordered_map<uint32_t, uint32_t> groups;
  std::unordered_map<uint64_t, uint32_t> warps;
  const uint32_t width = std::max(1u, left.warp_width);
  for (const Trace* trace : {&left, &right}) {
    uint64_t last_key = 0;
    bool any = false;
    for (const Event& event : trace->events) {
      uint64_t key = uint64_t{event.cta} << 32 | event.thread;
      if (any && key == last_key) continue;
      any = true;
      last_key = key;
      if (!numbers_.emplace(key, static_cast<uint32_t>(infos_.size())).second) continue;
      auto number = static_cast<uint32_t>(infos_.size());
      uint32_t group =
          groups.emplace(event.cta, static_cast<uint32_t>(groups.size())).first->second;
      uint64_t warp_key = uint64_t{event.cta} << 32 | event.thread / width;
      uint32_t warp = warps.emplace(warp_key, static_cast<uint32_t>(warps.size())).first->second;
      members_.resize(groups.size());
      warps_.resize(warps.size());
      infos_.push_back(
          {event.cta, event.thread, group, static_cast<uint32_t>(members_[group].size()), warp});
      members_[group].push_back(number);
      warps_[warp].push_back(number);
    }
  }
}

Streams::Streams(const Trace& trace, const Threads& threads, Level level,
                 const std::vector<bool>& elided)
    : trace_(trace), begin_(threads.size() + 1, 0) {
  const std::vector<Event>& events = trace.events;
  thread_.assign(events.size(), kNone);
  position_.assign(events.size(), 0);
  std::vector<uint32_t> counts(threads.size(), 0);
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::kRegister &&
        (level != Level::kRegisters || elided[events[i].instruction])) {
      continue;
    }
    bool as_before = i > 0 && thread_[i - 1] != kNone && events[i].cta == events[i - 1].cta &&
                     events[i].thread == events[i - 1].thread;
    thread_[i] = as_before ? thread_[i - 1] : threads.number(events[i]);
    position_[i] = counts[thread_[i]]++;
  }
  for (size_t t = 0; t < counts.size(); ++t) begin_[t + 1] = begin_[t] + counts[t];
  by_thread_.resize(begin_.back());
  for (size_t i = 0; i < events.size(); ++i) {
    if (thread_[i] != kNone) {
      by_thread_[begin_[thread_[i]] + position_[i]] = static_cast<uint32_t>(i);
    }
  }
}

}  // namespace warplock::trace
