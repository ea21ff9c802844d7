#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/compiler_freedom.h"
#include "trace/context.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

/// Compares what was written, where one side knows no PTX: for each location and thread the bytes
/// stored and the atomics, in order (docs/trace.md, "Without PTX").
class MemoryComparison {
 public:
  MemoryComparison(Context& context, Comparison& result, FirstDivergence& first)
      : context_(context),
        left_(context.left),
        right_(context.right),
        result_(result),
        first_(first),
        guide_is_left_(Side::is_ptx(left_.trace) || !Side::is_ptx(right_.trace)),
        guide_(guide_is_left_ ? left_ : right_),
        guide_history_(guide_is_left_ ? context.left_history : context.right_history),
        partners_(context.left_history.slots(), kNone) {}

  void run() {
    for (uint32_t cell = 0; cell < context_.cells.size(); ++cell) compare_cell(cell);
    if (!mismatches_.empty()) {
      judge();
      check_suspects();
    }
    count();
    compare_exits();
    check_write_order(context_, partners_, first_);
  }

 private:
  /// Writes of one thread to one cell that are not the same on both sides.
  struct Mismatch {
    uint32_t cell, thread;
    uint32_t left, right;  ///< events, `kNone` where a side has none
    bool only_old;         ///< atomics that differ in nothing but the old value
  };
  bool same_piece(uint32_t l, uint32_t r, uint64_t left, uint64_t right, uint32_t cell) const {
    const Event &a = left_.event(l), &b = right_.event(r);
    if (context_.left_history.piece(l, left, cell) ==
        context_.right_history.piece(r, right, cell)) {
      return true;
    }
    // The same part of an address.
    return a.offset == b.offset && context_.matching.same_value(left, a.width, right, b.width);
  }

  void compare_cell(uint32_t cell) {
    std::map<uint32_t, std::pair<Writes, Writes>> by_thread;
    for (uint32_t write : context_.left_history.writes(cell)) {
      by_thread[left_.streams.thread(write)].first.push_back(write);
    }
    for (uint32_t write : context_.right_history.writes(cell)) {
      by_thread[right_.streams.thread(write)].second.push_back(write);
    }
    for (auto& entry : by_thread) {
      Writes l = without_repeats(left_, context_.left_history, cell, entry.second.first);
      Writes r = without_repeats(right_, context_.right_history, cell, entry.second.second);
      if (l.size() != r.size()) {
        Writes fewer_l = only_visible(left_, context_.left_history, cell, l);
        Writes fewer_r = only_visible(right_, context_.right_history, cell, r);
        if (fewer_l.size() == fewer_r.size()) {
          l.swap(fewer_l);
          r.swap(fewer_r);
        }
      }
      for (size_t i = 0; i < std::max(l.size(), r.size()); ++i) {
        compare_write(cell, entry.first, i < l.size() ? l[i] : kNone, i < r.size() ? r[i] : kNone);
      }
    }
  }

  void compare_write(uint32_t cell, uint32_t thread, uint32_t l, uint32_t r) {
    if (l == kNone || r == kNone) {
      mismatches_.push_back({cell, thread, l, r, false});
      return;
    }
    std::span<const uint32_t> all = context_.left_history.writes(cell);
    auto slot = std::lower_bound(all.begin(), all.end(), l) - all.begin();
    partners_[context_.left_history.first_slot(cell) + static_cast<size_t>(slot)] = r;
    const Event &a = left_.event(l), &b = right_.event(r);
    bool same = a.kind == b.kind && same_piece(l, r, a.value, b.value, cell);
    bool old = a.kind != EventKind::kAtomic || same_piece(l, r, a.old, b.old, cell);
    if (!same || !old) mismatches_.push_back({cell, thread, l, r, same});
  }

  /// Follows, in the order of the side that knows PTX, where values rightly differ, and decides of
  /// each mismatch whether that excuses it.
  void judge() {
    Differences differences(context_.threads, context_.names.size(),
                            Differences::precision_for(guide_.trace, guide_.facts, false),
                            guide_.facts);
    std::unordered_map<uint32_t, std::vector<const Mismatch*>> by_event, others_by_cell;
    for (const Mismatch& mismatch : mismatches_) {
      uint32_t event = guide_is_left_ ? mismatch.left : mismatch.right;
      if (event == kNone) {
        others_by_cell[mismatch.cell].push_back(&mismatch);
      } else {
        by_event[event].push_back(&mismatch);
      }
    }
    auto reads_difference = [&](uint32_t event) {
      Cells::Range range = guide_history_.range(event);
      for (uint32_t cell = range.first; cell < range.first + range.count; ++cell) {
        if (is_open(cell)) return true;
        uint32_t write = guide_history_.read_from(event, cell);
        if (write != kNone && guide_.state[write] == State::kExcused) return true;
        auto others = others_by_cell.find(cell);
        if (others == others_by_cell.end()) continue;
        for (const Mismatch* other : others->second) {
          if (differences.any(other->thread)) return true;
        }
      }
      return false;
    };
    for (uint32_t i = 0; i < guide_.streams.size(); ++i) {
      uint32_t thread = guide_.streams.thread(i);
      if (thread == kNone) continue;
      const Event& event = guide_.event(i);
      const InstructionFacts& facts = guide_.facts_at(i);
      const bool sources = differences.may_differ(thread, facts);
      if (event.kind == EventKind::kBranch && sources) differences.set_all(thread);
      bool seeds = event.kind == EventKind::kLoad && reads_difference(i);
      auto found = by_event.find(i);
      if (found != by_event.end()) {
        for (const Mismatch* mismatch : found->second) {
          bool excused = mismatch->only_old ? reads_difference(i) : sources;
          if (!excused) {
            offer(*mismatch, {});
          } else if (possible(*mismatch)) {
            guide_.state[i] = State::kExcused;
          }
        }
        seeds = seeds || event.kind == EventKind::kAtomic;
      }
      if (!seeds) continue;
      for (uint32_t name : facts.destinations) differences.set(thread, name);
      if (facts.destinations.empty() &&
          differences.precision() == Differences::Precision::kThread) {
        differences.set_all(thread);
      }
    }
    for (const auto& entry : others_by_cell) {
      for (const Mismatch* mismatch : entry.second) {
        if (!differences.any(mismatch->thread)) {
          offer(*mismatch, {});
        } else {
          possible(*mismatch);
        }
      }
    }
  }

  /// Atomics that agree by chance, of locations where others rightly differ.
  void check_suspects() {
    std::vector<bool> suspects(context_.cells.size(), false);
    for (const Mismatch& mismatch : mismatches_) suspects[mismatch.cell] = true;
    for (uint32_t cell = 0; cell < context_.cells.size(); ++cell) {
      if (!suspects[cell]) continue;
      for (bool on_left : {true, false}) {
        const Side& side = on_left ? left_ : right_;
        const History& history = on_left ? context_.left_history : context_.right_history;
        for (uint32_t write : history.writes(cell)) {
          if (side.event(write).kind != EventKind::kAtomic) continue;
          Mismatch found{cell, side.streams.thread(write), on_left ? write : kNone,
                         on_left ? kNone : write, false};
          if (!possible(found)) break;
        }
      }
    }
  }

  bool is_open(uint32_t cell) const {
    return context_.left_history.is_open(cell) || context_.right_history.is_open(cell);
  }

  /// Whether excused atomics read what can have been there; offers a divergence if not.
  bool possible(const Mismatch& mismatch) {
    for (bool on_left : {true, false}) {
      uint32_t event = on_left ? mismatch.left : mismatch.right;
      if (event == kNone) continue;
      if ((on_left ? left_ : right_).event(event).kind != EventKind::kAtomic) continue;
      if (auto why = why_impossible(context_, on_left, event)) {
        offer(mismatch, *why);
        return false;
      }
    }
    return true;
  }

  void offer(const Mismatch& m, const std::string& why) {
    uint64_t place = m.left;
    if (m.left == kNone) {
      std::span<const uint32_t> events = left_.streams.of(m.thread);
      place = events.empty() ? left_.streams.size() : events.back();
    }
    first_.offer(place, location_divergence(context_, m.cell, m.left, m.right,
                                            why.empty() ? describe(m) : why));
  }

  std::string describe(const Mismatch& m) const {
    const Cells::Cell& c = context_.cells.cell(m.cell);
    std::string place =
        fmt::format("{}+{}", context_.matching.objects()[c.object].any().name, c.offset);
    const Threads::Info& thread = context_.threads.info(m.thread);
    std::string who = fmt::format("cta {} thread {}", thread.cta, thread.thread);
    if (m.left == kNone || m.right == kNone) {
      return fmt::format("{} by {} to {} on the {} only",
                         m.left == kNone ? word(right_.event(m.right)) : word(left_.event(m.left)),
                         who, place, m.left == kNone ? "right" : "left");
    }
    const Event &a = left_.event(m.left), &b = right_.event(m.right);
    if (a.kind != b.kind) {
      return fmt::format("{}: {} (left) but {} (right)", place, word(a), word(b));
    }
    auto piece = [&](bool left, uint64_t value) {
      return left ? context_.left_history.piece(m.left, value, m.cell)
                  : context_.right_history.piece(m.right, value, m.cell);
    };
    return fmt::format("{} {}: {} (left) but {} (right)",
                       m.only_old                     ? "old value of the atomic on"
                       : a.kind == EventKind::kAtomic ? "operand of the atomic on"
                                                      : "value stored to",
                       place, piece(true, m.only_old ? a.old : a.value),
                       piece(false, m.only_old ? b.old : b.value));
  }
  static const char* word(const Event& event) {
    return event.kind == EventKind::kAtomic ? "an atomic" : "a store";
  }

  /// Where both sides record how threads end: every thread of one must end on the other.
  void compare_exits() {
    auto exits = [&](const Side& side) {
      std::vector<uint32_t> out(context_.threads.size(), kNone);
      for (uint32_t i = 0; i < side.streams.size(); ++i) {
        if (side.event(i).kind == EventKind::kExit) out[side.streams.thread(i)] = i;
      }
      return out;
    };
    auto recorded = [](const std::vector<uint32_t>& events) {
      return std::any_of(events.begin(), events.end(), [](uint32_t e) { return e != kNone; });
    };
    const std::vector<uint32_t> left = exits(left_), right = exits(right_);
    if (!recorded(left) || !recorded(right)) return;
    for (uint32_t thread = 0; thread < left.size(); ++thread) {
      if (left[thread] == kNone && right[thread] == kNone) continue;
      if (left[thread] != kNone && right[thread] != kNone) {
        ++result_.compared_events;
        continue;
      }
      const bool on_left = left[thread] != kNone;
      first_.offer(on_left ? left[thread] : left_.streams.size(),
                   thread_divergence(
                       context_, Divergence::Kind::kMissing, thread, left[thread], right[thread],
                       fmt::format("the thread ends on the {} only", on_left ? "left" : "right")));
    }
  }

  void count() {
    std::vector<uint32_t> lefts, rights;
    for (const Mismatch& mismatch : mismatches_) {
      if (mismatch.left != kNone) {
        lefts.push_back(mismatch.left);
      } else {
        rights.push_back(mismatch.right);
      }
    }
    auto distinct = [](std::vector<uint32_t>& events) {
      std::sort(events.begin(), events.end());
      return static_cast<uint64_t>(std::unique(events.begin(), events.end()) - events.begin());
    };
    uint64_t writes = 0;
    for (uint32_t i = 0; i < left_.streams.size(); ++i) {
      bool counts = left_.streams.thread(i) != kNone && is_write(left_.event(i).kind) &&
                    context_.cells.left(i).count > 0;
      writes += counts;
    }
    uint64_t different = distinct(lefts);
    result_.compared_events = writes - different;
    result_.order_dependent_events = different + distinct(rights);
  }

  Context& context_;
  Side &left_, &right_;
  Comparison& result_;
  FirstDivergence& first_;
  const bool guide_is_left_;  ///< the side whose instructions can be followed
  Side& guide_;
  const History& guide_history_;
  std::vector<uint32_t> partners_;
  std::vector<Mismatch> mismatches_;
};

}  // namespace

void compare_memory(Context& context, Comparison& result, FirstDivergence& first) {
  MemoryComparison(context, result, first).run();
}

}  // namespace warplock::trace
