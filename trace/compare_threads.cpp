#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/context.h"
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
        cursors_(context.threads.size()),
        diverged_groups_(context.threads.groups(), false) {
    left_is_narrow_ = narrow(left_) && !narrow(right_);
    right_is_narrow_ = narrow(right_) && !narrow(left_);
  }

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

  /// A machine of 32-bit words keeps the low word of any longer value, so none of its registers has
  /// more than four bytes.
  static bool narrow(const Side& side) {
    return std::none_of(side.trace.events.begin(), side.trace.events.end(), [](const Event& event) {
      return event.kind == EventKind::kRegister && event.width > 4;
    });
  }

  uint32_t instruction(const Side& side, uint32_t index) const {
    return side.instructions[side.event(index).instruction];
  }

  bool same_widths(const Event& l, const Event& r) const {
    if (l.width == r.width) return true;
    if (l.kind != EventKind::kRegister) return false;
    return (left_is_narrow_ && l.width == 4 && r.width == 8) ||
           (right_is_narrow_ && r.width == 4 && l.width == 8);
  }
  bool same_place(const Event& l, const Event& r) const {
    return l.space == r.space && l.offset == r.offset &&
           left_.objects[l.object] == right_.objects[r.object];
  }
  bool same_value(const Event& l, const Event& r) const {
    if (!is_memory(l.kind) && l.kind != EventKind::kRegister) return l.value == r.value;
    return context_.matching.same_value(l.value, l.width, r.value, r.width);
  }
  bool same_old(const Event& l, const Event& r) const {
    return l.kind != EventKind::kAtomic ||
           context_.matching.same_value(l.old, l.width, r.old, r.width);
  }
  /// The same step of the thread's program, whatever the values.
  bool same_slot(uint32_t l, uint32_t r) const {
    const Event &a = left_.event(l), &b = right_.event(r);
    if (instruction(left_, l) != instruction(right_, r) || a.kind != b.kind ||
        a.element != b.element) {
      return false;
    }
    return a.kind != EventKind::kRegister ||
           left_.registers[a.object] == right_.registers[b.object];
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
      if (!same_slot(l, r)) {
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
    if (!same_widths(a, b) && (is_memory(a.kind) || a.kind == EventKind::kRegister)) {
      return differs(fmt::format("width: {} bytes (left) but {} bytes (right)", a.width, b.width));
    }
    if (a.occurrence != b.occurrence && !at.went_apart) {
      return differs(fmt::format("earlier executions of this instruction: {} (left) but {} (right)",
                                 a.occurrence, b.occurrence));
    }
    bool place = !is_memory(a.kind) || same_place(a, b);
    bool value = same_value(a, b), old = same_old(a, b);
    const bool agrees = place && value && old;
    if (!agrees) {
      std::optional<std::string> wrong = why_wrong(thread, l, r, place, value, old);
      if (wrong) return differs(*wrong);
    }
    ++(agrees ? result_.compared_events : result_.order_dependent_events);
    left_.state[l] = right_.state[r] = agrees ? State::kAgrees : State::kExcused;
    left_.partner[l] = r;
    right_.partner[r] = l;
    ++at.left;
    ++at.right;
    at.last = instruction(left_, l);
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

  /// What is wrong with a difference that nothing excuses; nothing when something does.
  std::optional<std::string> why_wrong(uint32_t thread, uint32_t l, uint32_t r, bool place,
                                       bool value, bool old) {
    const Event &a = left_.event(l), &b = right_.event(r);
    const InstructionFacts& facts = left_.facts_at(l);
    const bool from_sources = differences_.may_differ(thread, facts);
    auto values = [&](const std::string& name) {
      return fmt::format("{}: {} (left) but {} (right)", name, a.value & mask_of(a.width),
                         b.value & mask_of(b.width));
    };
    switch (a.kind) {
      case EventKind::kRegister: {
        const std::string named = "value of " + left_.trace.register_names[a.object];
        if (std::optional<ReadPair> read = read_of(l, r)) {
          // Each side's register must hold what its own load or atomic read.
          if (!read->agrees &&
              holds(a, left_.event(read->left)) == holds(b, right_.event(read->right))) {
            return std::nullopt;
          }
          return values(named);
        }
        if (facts.open && facts.is_active_mask &&
            !(is_active_mask(left_, l) && is_active_mask(right_, r))) {
          return values(named);
        }
        if (from_sources || facts.open) return std::nullopt;
        return values(named);
      }
      case EventKind::kBranch:
        if (from_sources) return std::nullopt;
        return fmt::format("branch: {} (left) but {} (right)", target(a), target(b));
      case EventKind::kBarrierArrive:
      case EventKind::kBarrierRelease:
      case EventKind::kExit:
        if (from_sources) return std::nullopt;
        return fmt::format("barrier: {} (left) but {} (right)", a.value, b.value);
      default:
        break;
    }
    if (!place && !from_sources) {
      return fmt::format("address: {} (left) but {} (right)", left_.location(a),
                         right_.location(b));
    }
    const std::string at = left_.location(a);
    if (is_write(a.kind) && !value && !from_sources) {
      return values(
          (a.kind == EventKind::kStore ? "value stored to " : "operand of the atomic on ") + at);
    }
    if (!is_read(a.kind)) return std::nullopt;
    const bool read_agrees = a.kind == EventKind::kAtomic ? old : value;
    if (place && !read_agrees && !is_open_read(l, r)) {
      if (a.kind == EventKind::kLoad) return values("value loaded from " + at);
      return fmt::format("old value of the atomic on {}: {} (left) but {} (right)", at,
                         a.old & mask_of(a.width), b.old & mask_of(b.width));
    }
    if (place && read_agrees) return std::nullopt;
    suspect(true, l);
    suspect(false, r);
    if (auto why = why_impossible(context_, true, l)) return why;
    return why_impossible(context_, false, r);
  }

  void suspect(bool on_left, uint32_t event) {
    suspects_.resize(context_.cells.size(), false);
    Cells::Range range = on_left ? context_.cells.left(event) : context_.cells.right(event);
    for (uint32_t i = 0; i < range.count; ++i) suspects_[range.first + i] = true;
  }

  static std::string target(const Event& branch) {
    return branch.value == 0 ? "not taken"
                             : fmt::format("taken to instruction {}", branch.value - 1);
  }

  /// The load or atomic events that belong to two register events.
  struct ReadPair {
    uint32_t left, right;
    bool agrees;
  };
  /// Nothing for other instructions, and for loads without an event (parameters, constants).
  std::optional<ReadPair> read_of(uint32_t l, uint32_t r) const {
    std::span<const uint32_t> lefts = left_.streams.of(left_.streams.thread(l));
    std::span<const uint32_t> rights = right_.streams.of(right_.streams.thread(r));
    const Event& event = left_.event(l);
    constexpr int64_t kFar = 16;  // a vector of eight has its loads and registers within this
    for (int64_t step = -kFar; step <= kFar; ++step) {
      int64_t i = int64_t{left_.streams.position(l)} + step;
      int64_t j = int64_t{right_.streams.position(r)} + step;
      if (i < 0 || j < 0 || i >= static_cast<int64_t>(lefts.size()) ||
          j >= static_cast<int64_t>(rights.size())) {
        continue;
      }
      const Event &a = left_.event(lefts[i]), &b = right_.event(rights[j]);
      if (!is_read(a.kind) || a.kind != b.kind || a.instruction != event.instruction ||
          a.occurrence != event.occurrence || a.element != event.element ||
          instruction(right_, rights[j]) != instruction(right_, r)) {
        continue;
      }
      bool read_agrees = a.kind == EventKind::kAtomic ? same_old(a, b) : same_value(a, b);
      return ReadPair{lefts[i], rights[j], same_place(a, b) && read_agrees};
    }
    return std::nullopt;
  }

  /// Whether a register got what an event read, as far as both have bytes.
  static bool holds(const Event& written, const Event& read) {
    uint64_t seen = read.kind == EventKind::kAtomic ? read.old : read.value;
    return ((written.value ^ seen) & mask_of(std::min(written.width, read.width))) == 0;
  }

  /// Which lanes execute activemask together is open, but the lane itself does, and none that has
  /// exited.
  bool is_active_mask(const Side& side, uint32_t index) const {
    const Event& event = side.event(index);
    const uint32_t width = std::max(1u, side.trace.warp_width);
    for (uint32_t other : context_.threads.warp(side.streams.thread(index))) {
      const uint32_t lane = context_.threads.info(other).thread % width;
      std::span<const uint32_t> events = side.streams.of(other);
      bool exited = !events.empty() && events.back() < index &&
                    side.event(events.back()).kind == EventKind::kExit;
      bool is_in = lane < 32 && (event.value >> lane & 1) != 0;
      if (is_in ? exited : other == side.streams.thread(index)) return false;
    }
    return true;
  }

  /// Whether PTX leaves open what this load or atomic reads, or it reads what rightly differs.
  bool is_open_read(uint32_t l, uint32_t r) const {
    Cells::Range range = context_.left_history.range(l);
    auto differs = [](const Side& side, uint32_t write) {
      return write != kNone &&
             (side.state[write] == State::kExcused || side.state[write] == State::kAlone);
    };
    for (uint32_t cell = range.first; cell < range.first + range.count; ++cell) {
      if (context_.left_history.is_open(cell) || context_.right_history.is_open(cell)) return true;
      if (differs(left_, context_.left_history.read_from(l, cell))) return true;
      if (differs(right_, context_.right_history.read_from(r, cell))) return true;
    }
    return false;
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
        if (meeting != Reconvergence::kEnd && instruction(side, index) == meeting) break;
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

  /// The PTX indices of what the thread executed after its event at position `begin - 1` and before
  /// that at `end`: between events that are no branches, execution is straight. Nothing where that
  /// does not work out.
  static std::optional<std::vector<uint32_t>> executed(const Side& side,
                                                       std::span<const uint32_t> events,
                                                       uint32_t begin, uint32_t end) {
    std::vector<uint32_t> out;
    if (begin == 0) return std::nullopt;
    for (uint32_t i = begin; i <= end; ++i) {
      const Event& from = side.event(events[i - 1]);
      const Event& to = side.event(events[i]);
      const uint32_t last = side.trace.instructions[from.instruction].ptx_index;
      const uint32_t stop_at = side.trace.instructions[to.instruction].ptx_index;
      bool jumps = from.kind == EventKind::kBranch && from.value != 0;
      uint64_t next = jumps ? from.value - 1 : uint64_t{last} + 1;
      if (next > stop_at && from.instruction != to.instruction) return std::nullopt;
      for (; next < stop_at; ++next) out.push_back(static_cast<uint32_t>(next));
      if (i < end) out.push_back(stop_at);
    }
    return out;
  }

  /// Where register events are not seen: marks what only one side's way wrote. What both executed
  /// last before they met again differs only by what it read.
  void mark_written(uint32_t thread, const Cursor& from, const Cursor& to) {
    std::span<const uint32_t> lefts = left_.streams.of(thread), rights = right_.streams.of(thread);
    if (to.left == lefts.size() || to.right == rights.size()) return;  // nothing more is compared
    auto l = executed(left_, lefts, from.left, to.left);
    auto r = executed(right_, rights, from.right, to.right);
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
  std::vector<Cursor> cursors_;
  std::vector<bool> diverged_groups_;
  std::optional<Reconvergence> reconvergence_;
  std::unordered_map<uint32_t, const InstructionFacts*> facts_by_ptx_;
  std::vector<bool> suspects_;  ///< by cell: something that was read there rightly differs
  bool left_is_narrow_ = false, right_is_narrow_ = false;
  bool stopped_ = false, structure_differs_ = false;
};

}  // namespace

void compare_threads(Context& context, Comparison& result, FirstDivergence& first) {
  ThreadComparison(context, result, first).run();
}

}  // namespace warplock::trace
