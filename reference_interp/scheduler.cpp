#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "reference_interp/machine.h"

/// Who runs when: CTAs, warps, and the lanes of a divergent warp (docs/reference.md, "Scheduling").
namespace warplock::reference_interp {
namespace {

/// Instructions that a warp may execute before the next one has its turn.
constexpr uint64_t kTurn = 100'000;
constexpr uint32_t kPermutedTurn = 64;
/// So many CTAs run together from the start when the schedule is permuted.
constexpr size_t kPermutedCtas = 4;
/// CTAs that can run together, should they wait for each other.
constexpr size_t kMaxResidentCtas = 1024;

}  // namespace

template <int W>
void Machine<W>::admit() {
  auto made = std::make_unique<Cta<W>>();
  Cta<W>& cta = *made;
  resident_.push_back(std::move(made));
  cta.index = next_cta_++;
  const auto& grid = launch_.grid;
  cta.id = {cta.index % grid[0], cta.index / grid[0] % grid[1], cta.index / grid[0] / grid[1]};
  cta.clock.cta = cta.index;
  cta.shared = make_shared(memory_);
  const uint32_t threads = launch_.threads_per_cta();
  cta.warps.resize((threads + W - 1) / W);
  cta.live_warps = static_cast<uint32_t>(cta.warps.size());
  for (Warp<W>& warp : cta.warps) {
    warp.index = static_cast<uint32_t>(&warp - cta.warps.data());
    warp.first_thread = warp.index * W;
    warp.first_id = thread_id(cta.index, warp.first_thread);
    const uint32_t lanes = std::min<uint32_t>(W, threads - warp.first_thread);
    warp.exists = kAllLanes<W> >> (W - lanes);
    warp.live = warp.exists;
    warp.pc.fill(code_.functions[entry_].start);
    warp.levels.resize(1);
    if (recorder_.memory()) warp.occurrences.resize(size_t{code_.module->instruction_count} * W);
    enter(cta, warp, warp.exists, 0, entry_);
    wake(cta, warp);
  }
}

template <int W>
void Machine<W>::retire(Cta<W>& cta) {
  // A warp that completed a barrier had itself woken, and may have run to its end since.
  std::erase_if(queue_, [&](const Turn& turn) { return turn.cta == &cta; });
  const auto at = std::find_if(resident_.begin(), resident_.end(),
                               [&](const auto& resident) { return resident.get() == &cta; });
  std::swap(*at, resident_.back());
  resident_.pop_back();
}

template <int W>
typename Machine<W>::Turn Machine<W>::next_turn() {
  if (permutes()) {
    std::swap(queue_.front(), queue_[random_.below(static_cast<uint32_t>(queue_.size()))]);
  }
  const Turn turn = queue_.front();
  queue_.pop_front();
  return turn;
}

template <int W>
void Machine<W>::run() {
  const uint64_t ctas = launch_.ctas();
  while (next_cta_ < ctas || !queue_.empty()) {
    if (queue_.empty() || (permutes() && next_cta_ < ctas && resident_.size() < kPermutedCtas)) {
      admit();
      continue;
    }
    const Turn turn = next_turn();
    const SliceEnd end = run_slice(*turn.cta, *turn.warp);
    if (turn.cta->live_warps == 0) {
      retire(*turn.cta);
      fruitless_ = 0;
      continue;
    }
    turn.warp->queued = false;
    wake(*turn.cta, *turn.warp);
    if (end == SliceEnd::kBlocked) {
      const auto& warps = turn.cta->warps;
      if (std::none_of(warps.begin(), warps.end(), [](const auto& w) { return w.queued; })) {
        report_stuck(*turn.cta);
      }
    }
    // When everybody only yields, they may be waiting for a CTA that has not started.
    fruitless_ = end == SliceEnd::kYielded ? fruitless_ + 1 : 0;
    if (fruitless_ > 64 + 16 * queue_.size() && next_cta_ < ctas &&
        resident_.size() < kMaxResidentCtas) {
      admit();
      fruitless_ = 0;
    }
  }
}

template <int W>
typename Machine<W>::SliceEnd Machine<W>::run_slice(Cta<W>& cta, Warp<W>& warp) {
  Step<W> step{*this, cta, warp};
  uint64_t budget = permutes() ? 1 + random_.below(kPermutedTurn) : kTurn;
  while (warp.runnable() != 0) {
    const uint32_t stop = choose_lanes(step);
    run_lanes(step, stop, budget);
    if (step.yield) {
      step.yield = false;
      warp.communicated = false;
      warp.yielded |= step.active;
      return SliceEnd::kYielded;
    }
    if (budget == 0) {
      warp.yielded |= step.active;
      return SliceEnd::kTurnOver;
    }
  }
  return SliceEnd::kBlocked;
}

/// The lanes at the deepest call, and among them those at the lowest instruction: the others wait
/// further down the code, where the paths meet again.
template <int W>
uint32_t Machine<W>::leader_of(const Warp<W>& warp, LaneMask candidates) {
  if (permutes()) {
    uint32_t skip = random_.below(static_cast<uint32_t>(std::popcount(candidates)));
    for (; skip != 0; --skip) candidates &= candidates - 1;
    return static_cast<uint32_t>(std::countr_zero(candidates));
  }
  uint32_t leader = static_cast<uint32_t>(std::countr_zero(candidates));
  for_each_lane(candidates, [&](int lane) {
    if (warp.depth[lane] > warp.depth[leader] ||
        (warp.depth[lane] == warp.depth[leader] && warp.pc[lane] < warp.pc[leader])) {
      leader = static_cast<uint32_t>(lane);
    }
  });
  return leader;
}

/// Chooses the lanes that run next. Returns the instruction at which they meet other lanes.
template <int W>
uint32_t Machine<W>::choose_lanes(Step<W>& s) {
  Warp<W>& warp = s.warp;
  const LaneMask runnable = warp.runnable();
  const auto together_with = [&](uint32_t leader) {
    const uint32_t pc = warp.pc[leader];
    const uint32_t depth = warp.depth[leader];
    return runnable & lanes_where<W>([&](int lane) {
             return warp.pc[lane] == pc && warp.depth[lane] == depth;
           });
  };
  uint32_t leader = static_cast<uint32_t>(std::countr_zero(runnable));
  s.active = together_with(leader);
  s.divergent = s.active != runnable;
  uint32_t stop = std::numeric_limits<uint32_t>::max();
  if (s.divergent) {
    if ((runnable & ~warp.yielded) == 0) warp.yielded = 0;
    leader = leader_of(warp, runnable & ~warp.yielded);
    s.active = together_with(leader);
    for_each_lane(runnable & ~s.active, [&](int lane) {
      if (warp.depth[lane] == warp.depth[leader] && warp.pc[lane] > warp.pc[leader]) {
        stop = std::min(stop, warp.pc[lane]);
      }
    });
  } else {
    warp.yielded = 0;
  }
  s.pc = warp.pc[leader];
  Frame& at = frame(s.cta, warp, warp.depth[leader], code_.info[s.pc].function);
  s.frame = at.base();
  s.initialised = at.initialised();
  return stop;
}

/// Every live thread of the CTA waits, and none can go on.
template <int W>
void Machine<W>::report_stuck(const Cta<W>& cta) {
  std::string who;
  ThreadId first = 0;
  uint32_t first_pc = 0;
  bool found = false;
  bool part_of_warp_at_barrier = false;
  constexpr int kMostPlaces = 8;
  int places = 0;
  for (const Warp<W>& warp : cta.warps) {
    LaneMask rest = warp.live;
    while (rest != 0) {
      const int lane = std::countr_zero(rest);
      const bool barrier = (warp.at_barrier >> lane & 1) != 0;
      const LaneMask same = rest & (barrier ? warp.at_barrier : warp.at_sync) &
                            lanes_where<W>([&](int l) { return warp.pc[l] == warp.pc[lane]; });
      rest &= ~same;
      const ptx::Instruction* text = code_.info[warp.pc[lane]].text;
      if (barrier && same != warp.live && text != nullptr && text->modifiers.aligned) {
        part_of_warp_at_barrier = true;
      }
      if (!found || (barrier && part_of_warp_at_barrier && first == 0)) {
        first = warp.first_id + static_cast<uint32_t>(lane);
        first_pc = warp.pc[lane];
        found = true;
      }
      if (++places > kMostPlaces) continue;
      const uint32_t from = warp.first_thread + static_cast<uint32_t>(lane);
      const uint32_t to = warp.first_thread + 31 - static_cast<uint32_t>(std::countl_zero(same));
      who += fmt::format("{}threads {} to {} (lanes {:#x} of warp {}) wait at {}",
                         who.empty() ? "" : "; ", from, to, same, warp.index,
                         reporter_.place(warp.pc[lane]));
      who += barrier ? fmt::format(" (barrier {})", warp.barrier_id[lane])
                     : fmt::format(" (for the lanes {:#x})", warp.sync_mask[lane] & warp.live);
    }
  }
  if (places > kMostPlaces) who += fmt::format("; and {} more", places - kMostPlaces);
  const char* klass = part_of_warp_at_barrier ? "divergent barrier" : "deadlock";
  throw ProgramFault{{reporter_.error(
      klass, first, first_pc,
      fmt::format("waits for ever, and so does every thread of the CTA that has not exited: {}",
                  who))}};
}

template void Machine<4>::run();
template void Machine<32>::run();

}  // namespace warplock::reference_interp
