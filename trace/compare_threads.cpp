#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/context.h"
#include "trace/pair_rules.h"
#include "trace/reconverge.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

/// Walks the left trace in its own order, each thread's events against the right's, and follows
/// where values rightly differ (docs/trace.md, "What may differ").
class ThreadComparison {
 public:
  ThreadComparison(Context& context, Comparison& result, FirstDivergence& first)
      : context_(context),
        left_(context.left),
        right_(context.right),
        result_(result),
        first_(first),
        differences_(context.threads, context.names.size(), precision(), context.left.facts),
        rules_(context, differences_),
        cursors_(context.threads.size()),
        diverged_groups_(context.threads.groups(), false) {}

  void run() {
    for (uint32_t i = 0; i < left_.streams.size() && !stopped_; ++i) {
      uint32_t thread = left_.streams.thread(i);
      if (thread == kNone) continue;
      // Twice when the ways meet again right at this event.
      while (left_.streams.position(i) == cursors_[thread].left && !stopped_) step(thread, i);
    }
    for (uint32_t thread = 0; thread < context_.threads.size() && !stopped_; ++thread) {
      // A thread that the left does not have at all.
      if (left_.streams.of(thread).empty()) ends_early(thread, left_.streams.size());
    }
    check_suspects();
    // Where a thread lacks an event, so may barriers; the missing event says more.
    if (!structure_differs_) check_barriers(context_, diverged_groups_, first_);
    std::vector<uint32_t> partners(context_.left_history.slots(), kNone);
    for (uint32_t cell = 0; cell < context_.cells.size(); ++cell) {
      std::span<const uint32_t> writes = context_.left_history.writes(cell);
      for (size_t i = 0; i < writes.size(); ++i) {
        uint32_t partner = left_.partner[writes[i]];
        if (partner == kNone) continue;
        Cells::Range range = context_.right_history.range(partner);
        if (cell < range.first || cell >= range.first + range.count) continue;
        partners[context_.left_history.first_slot(cell) + i] = partner;
      }
    }
    check_write_order(context_, partners, first_);
  }

 private:
  struct Cursor {
    uint32_t left = 0, right = 0;  ///< positions in the thread's order
    uint32_t last = kNone;         ///< the last instruction that both executed (common number)
    bool went_apart = false;       ///< counts of executions no longer compare
  };

  Differences::Precision precision() const {
    bool registers = context_.level == Level::kRegisters && !context_.matching.any_elided();
    auto found = Differences::precision_for(left_.trace, left_.facts, registers);
    // Register names that the instructions' texts do not use cannot be followed.
    for (uint32_t i = 0; registers && i < left_.streams.size(); ++i) {
      const Event& event = left_.event(i);
      if (event.kind != EventKind::kRegister) continue;
      const std::vector<uint32_t>& written = left_.facts_at(i).destinations;
      if (std::find(written.begin(), written.end(), left_.names[event.object]) == written.end()) {
        return Differences::Precision::kThread;
      }
    }
    return found;
  }

  /// Reads that agree by chance, of locations where others rightly differ.
  void check_suspects() {
    for (uint32_t l = 0; !suspects_.empty() && l < left_.streams.size(); ++l) {
      if (left_.state[l] != State::kAgrees || !is_read(left_.event(l).kind)) continue;
      Cells::Range range = context_.cells.left(l);
      bool suspected = false;
      for (uint32_t i = 0; i < range.count; ++i) suspected |= suspects_[range.first + i];
      if (!suspected || first_.before(l)) continue;
      const uint32_t r = left_.partner[l];
      std::optional<std::string> why = why_impossible(context_, true, l);
      if (!why) why = why_impossible(context_, false, r);
      if (!why) continue;
      first_.offer(l, thread_divergence(context_, Divergence::Kind::kValue, left_.streams.thread(l),
                                        l, r, *why));
    }
  }

  void stop(uint32_t place, Divergence divergence) {
    structure_differs_ = divergence.kind != Divergence::Kind::kValue;
    first_.offer(place, std::move(divergence));
    stopped_ = true;
  }

  void step(uint32_t thread, uint32_t l) {
    Cursor& at = cursors_[thread];
    std::span<const uint32_t> rights = right_.streams.of(thread);
    if (at.right >= rights.size()) {
      part_ways(thread, l, kNone, l);
    } else {
      uint32_t r = rights[at.right];
      if (!rules_.same_slot(l, r)) {
        part_ways(thread, l, r, l);
      } else {
        pair(thread, l, r);
      }
    }
    if (!stopped_ && at.left == left_.streams.of(thread).size()) ends_early(thread, l);
  }

  void ends_early(uint32_t thread, uint32_t place) {
    Cursor& at = cursors_[thread];
    std::span<const uint32_t> rights = right_.streams.of(thread);
    if (at.right < rights.size()) part_ways(thread, kNone, rights[at.right], place);
  }

  void pair(uint32_t thread, uint32_t l, uint32_t r) {
    Cursor& at = cursors_[thread];
    const Event &a = left_.event(l), &b = right_.event(r);
    auto differs = [&](std::string what) {
      stop(l, thread_divergence(context_, Divergence::Kind::kValue, thread, l, r, std::move(what)));
    };
    if (!rules_.same_widths(a, b) && (is_memory(a.kind) || a.kind == EventKind::kRegister)) {
      return differs(fmt::format("width: {} bytes (left) but {} bytes (right)", a.width, b.width));
    }
    if (a.occurrence != b.occurrence && !at.went_apart) {
      return differs(fmt::format("earlier executions of this instruction: {} (left) but {} (right)",
                                 a.occurrence, b.occurrence));
    }
    bool place = !is_memory(a.kind) || rules_.same_place(a, b);
    bool value = rules_.same_value(a, b), old = rules_.same_old(a, b);
    const bool agrees = place && value && old;
    if (!agrees) {
      std::optional<std::string> wrong = rules_.why_wrong(thread, l, r, place, value, old);
      if (wrong) return differs(*wrong);
      if (is_read(a.kind) && !(place && (a.kind == EventKind::kAtomic ? old : value))) {
        suspect(true, l);
        suspect(false, r);
      }
    }
    ++(agrees ? result_.compared_events : result_.order_dependent_events);
    left_.state[l] = right_.state[r] = agrees ? State::kAgrees : State::kExcused;
    left_.partner[l] = r;
    right_.partner[r] = l;
    ++at.left;
    ++at.right;
    at.last = left_.instruction(l);
    follow(thread, l, agrees);
    if (a.kind == EventKind::kBranch && !agrees) rejoin(thread, l, false);
  }

  /// Keeps account of which registers differ after an event.
  void follow(uint32_t thread, uint32_t l, bool agrees) {
    const Event& event = left_.event(l);
    const InstructionFacts& facts = left_.facts_at(l);
    const bool exact = differences_.precision() == Differences::Precision::kExact;
    if (exact && event.kind == EventKind::kRegister) {
      // The carry flag has no event of its own.
      if (std::find(facts.destinations.begin(), facts.destinations.end(), NameTable::kCarry) !=
          facts.destinations.end()) {
        mark(thread, NameTable::kCarry, differences_.may_differ(thread, facts));
      }
      mark(thread, left_.names[event.object], !agrees);
    } else if (!exact && !agrees) {
      if (differences_.precision() == Differences::Precision::kThread) {
        differences_.set_all(thread);
      } else if (is_read(event.kind)) {
        for (uint32_t name : facts.destinations) differences_.set(thread, name);
      }
    }
  }
  void mark(uint32_t thread, uint32_t name, bool differs) {
    if (differs) {
      differences_.set(thread, name);
    } else {
      differences_.clear(thread, name);
    }
  }

  void suspect(bool on_left, uint32_t event) {
    suspects_.resize(context_.cells.size(), false);
    Cells::Range range = on_left ? context_.cells.left(event) : context_.cells.right(event);
    for (uint32_t i = 0; i < range.count; ++i) suspects_[range.first + i] = true;
  }

  /// The thread does different things on the two sides; `kNone`: that side has ended.
  void part_ways(uint32_t thread, uint32_t l, uint32_t r, uint32_t place) {
    auto may = [&](const Side& side, uint32_t index) {
      if (index == kNone) return false;
      uint32_t guard = side.facts_at(index).guard;
      return guard != kNone && differences_.may_differ(thread, guard);
    };
    const bool thread_differs =
        differences_.precision() == Differences::Precision::kThread && differences_.any(thread);
    if (!thread_differs && !may(left_, l) && !may(right_, r)) {
      auto text = [](const Side& side, uint32_t index) {
        const Event& event = side.event(index);
        return fmt::format("{} of `{}`", spelling(event.kind),
                           side.trace.instructions[event.instruction].text);
      };
      if (l == kNone || r == kNone) {
        const Side& side = l == kNone ? right_ : left_;
        const char* ended = l == kNone ? "left" : "right";
        const char* other = l == kNone ? "right" : "left";
        return stop(place,
                    thread_divergence(context_, Divergence::Kind::kMissing, thread, l, r,
                                      fmt::format("the thread ends here ({}) but goes on with "
                                                  "{} ({})",
                                                  ended, text(side, l == kNone ? r : l), other)));
      }
      return stop(place, thread_divergence(context_, Divergence::Kind::kEvent, thread, l, r,
                                           fmt::format("next event: {} (left) but {} (right)",
                                                       text(left_, l), text(right_, r))));
    }
    Cursor before = cursors_[thread];
    rejoin(thread, place, l == kNone || r == kNone);
    Cursor after = cursors_[thread];
    if (before.left == after.left && before.right == after.right && !stopped_) {
      stop(place, thread_divergence(context_, Divergence::Kind::kEvent, thread, l, r,
                                    "the instruction's events differ in kind or destination"));
    }
  }

  /// Skips both sides to where the ways of the thread meet again: never, when one side has ended.
  void rejoin(uint32_t thread, uint32_t place, bool ended) {
    if (!reconvergence_) {
      reconvergence_.emplace(left_.streams, left_.instructions, right_.streams, right_.instructions,
                             context_.threads.size(), context_.matching.instruction_count());
    }
    Cursor& at = cursors_[thread];
    const Cursor from = at;
    const uint32_t meeting = ended ? Reconvergence::kEnd : reconvergence_->after(at.last);
    at.went_apart = true;
    diverged_groups_[context_.threads.info(thread).group] = true;
    if (differences_.precision() == Differences::Precision::kThread) differences_.set_all(thread);
    for (bool is_left : {true, false}) {
      Side& side = is_left ? left_ : right_;
      uint32_t& position = is_left ? at.left : at.right;
      std::span<const uint32_t> events = side.streams.of(thread);
      for (; position < events.size(); ++position) {
        uint32_t index = events[position];
        const Event& event = side.event(index);
        if (meeting != Reconvergence::kEnd && side.instruction(index) == meeting) break;
        side.state[index] = State::kAlone;
        ++result_.order_dependent_events;
        if (event.kind == EventKind::kRegister) differences_.set(thread, side.names[event.object]);
        if (!is_read(event.kind)) continue;
        suspect(is_left, index);
        if (auto why = why_impossible(context_, is_left, index)) {
          return stop(place,
                      thread_divergence(context_, Divergence::Kind::kValue, thread,
                                        is_left ? index : kNone, is_left ? kNone : index, *why));
        }
      }
    }
    if (differences_.precision() == Differences::Precision::kClosure) {
      mark_written(thread, from, at);
    }
  }

  /// Where register events are not seen: marks what only one side's way wrote. What both executed
  /// last before they met again differs only by what it read.
  void mark_written(uint32_t thread, const Cursor& from, const Cursor& to) {
    std::span<const uint32_t> lefts = left_.streams.of(thread), rights = right_.streams.of(thread);
    if (to.left == lefts.size() || to.right == rights.size()) return;  // nothing more is compared
    auto l = executed_between(left_.streams, thread, from.left, to.left);
    auto r = executed_between(right_.streams, thread, from.right, to.right);
    if (!l || !r) return differences_.set_all(thread);
    while (!l->empty() && !r->empty() && l->back() == r->back()) {
      l->pop_back();
      r->pop_back();
    }
    if (facts_by_ptx_.empty()) {
      for (size_t i = 0; i < left_.facts.size(); ++i) {
        facts_by_ptx_.emplace(left_.trace.instructions[i].ptx_index, &left_.facts[i]);
      }
    }
    l->insert(l->end(), r->begin(), r->end());
    for (uint32_t index : *l) {
      auto facts = facts_by_ptx_.find(index);
      if (facts == facts_by_ptx_.end()) return differences_.set_all(thread);
      for (uint32_t name : facts->second->destinations) differences_.set(thread, name);
    }
  }

  Context& context_;
  Side &left_, &right_;
  Comparison& result_;
  FirstDivergence& first_;
  Differences differences_;
  PairRules rules_;
  std::vector<Cursor> cursors_;
  std::vector<bool> diverged_groups_;
  std::optional<Reconvergence> reconvergence_;
  std::unordered_map<uint32_t, const InstructionFacts*> facts_by_ptx_;
  std::vector<bool> suspects_;  ///< by cell: something that was read there rightly differs
  bool stopped_ = false, structure_differs_ = false;
};

}  // namespace

void compare_threads(Context& context, Comparison& result, FirstDivergence& first) {
  ThreadComparison(context, result, first).run();
}

}  // namespace warplock::trace
