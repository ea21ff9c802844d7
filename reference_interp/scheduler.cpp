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

/// A list of threads that a person reads: not all of a thousand.
std::string shortened(const std::string& threads) {
  constexpr size_t kMost = 100;
  if (threads.size() <= kMost) return threads;
  const size_t cut = threads.rfind(',', kMost);
  return fmt::format(
      "{} and {} more", threads.substr(0, cut),
      std::count(threads.begin() + static_cast<std::ptrdiff_t>(cut), threads.end(), ','));
}

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
    if (recorder_.memory()) {
      // One more than instructions: the end of an empty body stands there.
      warp.occurrences.resize((size_t{code_.module->instruction_count} + 1) * W);
    }
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
    if (!turn.warp->queued) {
      const auto& warps = turn.cta->warps;
      if (std::none_of(warps.begin(), warps.end(), [](const auto& w) { return w.queued; })) {
        report_stuck(*turn.cta);
      }
    }
    // When everybody only yields, they may be waiting for a CTA that has not started. (The short
    // turns of a permuted schedule often end before a waiting warp gets to yield.)
    const bool fruitless = end == SliceEnd::kYielded || (permutes() && end == SliceEnd::kTurnOver);
    fruitless_ = fruitless ? fruitless_ + 1 : 0;
    const uint64_t patience = (permutes() ? 1024 : 64) + 16 * queue_.size();
    if (fruitless_ > patience && next_cta_ < ctas && resident_.size() < kMaxResidentCtas) {
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
  /// Threads that wait for the same.
  struct Wait {
    uint32_t pc;
    bool barrier;
    uint32_t what;  ///< the barrier's number, or the mask
    ThreadId first;
    std::string threads;
    bool divergent;  ///< at an aligned barrier without the rest of its warp
  };
  std::vector<Wait> waits;
  for (const Warp<W>& warp : cta.warps) {
    for (LaneMask rest = warp.live; rest != 0;) {
      const int lane = std::countr_zero(rest);
      const uint32_t pc = warp.pc[lane];
      const bool barrier = (warp.at_barrier >> lane & 1) != 0;
      const auto& subject = barrier ? warp.barrier_id : warp.sync_mask;
      const uint32_t what = subject[lane];
      const LaneMask alike =
          rest & (barrier ? warp.at_barrier : warp.at_sync) &
          lanes_where<W>([&](int other) { return warp.pc[other] == pc && subject[other] == what; });
      rest &= ~alike;
      auto at = std::find_if(waits.begin(), waits.end(), [&](const Wait& wait) {
        return wait.pc == pc && wait.barrier == barrier && wait.what == what;
      });
      if (at == waits.end()) {
        waits.push_back(
            {pc, barrier, what, warp.first_id + static_cast<uint32_t>(lane), "", false});
        at = waits.end() - 1;
      }
      const bool aligned = code_.instructions[pc].text->modifiers.aligned;
      at->divergent = at->divergent || (barrier && aligned && alike != warp.live);
      for_each_lane(alike, [&](int other) {
        at->threads += fmt::format("{}{}", at->threads.empty() ? "" : ",",
                                   warp.first_thread + static_cast<uint32_t>(other));
      });
    }
  }
  const auto first = std::max_element(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return a.divergent < b.divergent;
  });
  std::string who;
  for (const Wait& wait : waits) {
    who += fmt::format("{}threads {} wait at {} ({})", who.empty() ? "" : "; ",
                       shortened(wait.threads), reporter_.place(wait.pc),
                       wait.barrier ? fmt::format("barrier {}", wait.what)
                                    : fmt::format("for the lanes {:#x} of the warp", wait.what));
  }
  throw ProgramFault{{reporter_.error(
      first->divergent ? "divergent barrier" : "deadlock", first->first, first->pc,
      fmt::format("waits for ever, and so does every thread of the CTA that has not exited: {}",
                  who))}};
}

template void Machine<4>::run();
template void Machine<32>::run();

}  // namespace warplock::reference_interp
