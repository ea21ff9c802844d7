#include "trace/order.h"

#include <algorithm>
#include <map>

#include "trace/spelling.h"

namespace warplock::trace {

FixedOrder::FixedOrder(const Streams& streams, const Threads& threads,
                       const std::vector<InstructionFacts>& facts)
    : streams_(streams),
      threads_(threads),
      epochs_(threads.size()),
      releases_(threads.groups()),
      acquires_(threads.groups()),
      strong_(streams.size(), false) {
  clocks_.emplace_back();  // clock 0: nothing known of other threads
  find_uses(facts);
}

void FixedOrder::find_uses(const std::vector<InstructionFacts>& facts) {
  struct Barrier {
    uint32_t arrivals = 0;
    std::map<uint32_t, uint32_t> arrived;  // thread -> position of its arrival
    std::map<uint32_t, uint32_t> may_go;   // thread -> clock of the use it arrived for
  };
  std::map<std::pair<uint32_t, uint64_t>, Barrier> barriers;
  std::vector<uint32_t> current(threads_.size(), 0);

  auto close = [&](Barrier& barrier, uint32_t group, uint32_t event) {
    std::vector<uint32_t> joined(threads_.members(group).size(), 0);
    std::vector<uint32_t> clocks;
    for (const auto& arrival : barrier.arrived) clocks.push_back(current[arrival.first]);
    std::sort(clocks.begin(), clocks.end());
    clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
    for (uint32_t clock : clocks) {
      const std::vector<uint32_t>& from = clocks_[clock];
      for (size_t i = 0; i < from.size(); ++i) joined[i] = std::max(joined[i], from[i]);
    }
    for (const auto& arrival : barrier.arrived) {
      uint32_t& own = joined[threads_.info(arrival.first).rank];
      own = std::max(own, arrival.second + 1);
    }
    clocks_.push_back(std::move(joined));
    auto clock = static_cast<uint32_t>(clocks_.size() - 1);
    for (const auto& arrival : barrier.arrived) barrier.may_go[arrival.first] = clock;
    uses_.push_back({group, streams_.event(event).value, barrier.arrivals, event});
    barrier.arrived.clear();
    barrier.arrivals = 0;
  };

  for (uint32_t i = 0; i < streams_.size(); ++i) {
    uint32_t thread = streams_.thread(i);
    if (thread == kNone) continue;
    const Event& event = streams_.event(i);
    uint32_t group = threads_.info(thread).group;
    if (is_memory(event.kind)) {
      bool strong = event.kind == EventKind::kAtomic || facts[event.instruction].strong;
      if (!strong) continue;
      strong_[i] = true;
      if (is_write(event.kind)) releases_[group].push_back(i);
      if (is_read(event.kind)) acquires_[group].push_back(i);
    } else if (event.kind == EventKind::kBarrierArrive) {
      Barrier& barrier = barriers[{group, event.value}];
      barrier.arrived[thread] = streams_.position(i);
      ++barrier.arrivals;
    } else if (event.kind == EventKind::kBarrierRelease) {
      Barrier& barrier = barriers[{group, event.value}];
      if (barrier.arrived.count(thread)) close(barrier, group, i);
      auto use = barrier.may_go.find(thread);
      if (use == barrier.may_go.end()) continue;  // a release without an arrival orders nothing
      current[thread] = use->second;
      epochs_[thread].push_back({streams_.position(i), use->second});
      barrier.may_go.erase(use);
    }
  }
}

uint32_t FixedOrder::clock_at(uint32_t event) const {
  const std::vector<Epoch>& epochs = epochs_[streams_.thread(event)];
  auto after = std::upper_bound(
      epochs.begin(), epochs.end(), streams_.position(event),
      [](uint32_t position, const Epoch& epoch) { return position < epoch.position; });
  return after == epochs.begin() ? 0 : std::prev(after)->clock;
}

bool FixedOrder::ordered(uint32_t a, uint32_t b) const {
  uint32_t from = streams_.thread(a), to = streams_.thread(b);
  if (from == to) return streams_.position(a) < streams_.position(b);
  if (threads_.info(from).group != threads_.info(to).group) return false;
  const std::vector<uint32_t>& clock = clocks_[clock_at(b)];
  uint32_t rank = threads_.info(from).rank;
  return rank < clock.size() && streams_.position(a) < clock[rank];
}

bool FixedOrder::open(uint32_t a, uint32_t b) const {
  if (streams_.thread(a) == streams_.thread(b) || ordered(a, b)) return false;
  if (strong_[a] && strong_[b]) return true;
  const std::vector<uint32_t>& released = releases_[threads_.info(streams_.thread(a)).group];
  const std::vector<uint32_t>& acquired = acquires_[threads_.info(streams_.thread(b)).group];
  auto release = std::lower_bound(released.begin(), released.end(), a);
  auto acquire = std::upper_bound(acquired.begin(), acquired.end(), b);
  return release != released.end() && acquire != acquired.begin() && *release < *std::prev(acquire);
}

}  // namespace warplock::trace
