#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "trace/context.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

uint64_t seen_by(const Event& event) {
  return event.kind == EventKind::kAtomic ? event.old : event.value;
}

std::string name_of(const Threads& threads, uint32_t thread) {
  const Threads::Info& info = threads.info(thread);
  return fmt::format("cta {} thread {}", info.cta, info.thread);
}

/// "out+4", by the cell itself.
std::string name_of(const Context& context, uint32_t cell) {
  const Cells::Cell& c = context.cells.cell(cell);
  return fmt::format("{}+{}", context.matching.objects()[c.object].any().name, c.offset);
}

}  // namespace

std::optional<std::string> why_impossible(const Context& context, bool on_left, uint32_t index) {
  const Side& side = on_left ? context.left : context.right;
  const Side& other = on_left ? context.right : context.left;
  const History& history = on_left ? context.left_history : context.right_history;
  const History& other_history = on_left ? context.right_history : context.left_history;
  const Event& event = side.event(index);
  const char* verb =
      event.kind == EventKind::kAtomic ? "old value of the atomic on" : "value loaded from";
  const char* where = on_left ? "left" : "right";
  if (auto why = history.why_impossible(index)) {
    return fmt::format("{} {}: {} ({})", verb, side.location(event), *why, where);
  }
  Cells::Range range = history.range(index);
  for (uint32_t cell = range.first; cell < range.first + range.count; ++cell) {
    // Both executions start with the same memory, as their first reads show it.
    if (history.read_from(index, cell) != kNone) continue;
    const uint32_t own_reader = history.first_reader(cell);
    const uint32_t other_reader = other_history.first_reader(cell);
    if (own_reader == kNone || other_reader == kNone) continue;
    const Event &mine = side.event(own_reader), &theirs = other.event(other_reader);
    uint64_t own = history.piece(own_reader, seen_by(mine), cell);
    uint64_t others = other_history.piece(other_reader, seen_by(theirs), cell);
    bool same_address = mine.offset == theirs.offset &&
                        (on_left ? context.matching.same_value(seen_by(mine), mine.width,
                                                               seen_by(theirs), theirs.width)
                                 : context.matching.same_value(seen_by(theirs), theirs.width,
                                                               seen_by(mine), mine.width));
    if (own == others || same_address) continue;
    return fmt::format("first contents of {}: {} (left) but {} (right)", name_of(context, cell),
                       on_left ? own : others, on_left ? others : own);
  }
  return std::nullopt;
}

void check_barriers(const Context& context, const std::vector<bool>& diverged_groups,
                    FirstDivergence& first) {
  using Uses = std::map<std::pair<uint32_t, uint64_t>, std::vector<const FixedOrder::Use*>>;
  auto collect = [](const Side& side) {
    Uses out;
    for (const FixedOrder::Use& use : side.order.uses()) {
      out[{use.group, use.barrier}].push_back(&use);
    }
    return out;
  };
  Uses left = collect(context.left), right = collect(context.right);
  for (const auto& entry : left) {
    auto other = right.find(entry.first);
    if (other == right.end() || diverged_groups[entry.first.first]) continue;
    size_t count = std::min(entry.second.size(), other->second.size());
    for (size_t i = 0; i < count; ++i) {
      const FixedOrder::Use &l = *entry.second[i], &r = *other->second[i];
      if (l.arrived == r.arrived) continue;
      uint32_t thread = context.left.streams.thread(l.release);
      uint32_t partner = context.left.partner[l.release];
      first.offer(
          l.release,
          thread_divergence(
              context, Divergence::Kind::kEvent, thread, l.release, partner,
              fmt::format("barrier {} let threads go on after {} arrivals (left) but {} (right)",
                          l.barrier, l.arrived, r.arrived)));
      break;
    }
  }
}

void check_write_order(const Context& context, const std::vector<uint32_t>& partners,
                       FirstDivergence& first) {
  struct Pair {
    uint32_t left, right;
  };
  const Side &left = context.left, &right = context.right;
  // Without PTX a side may not show its barriers and volatile accesses; then the other decides.
  const bool ask_left = Side::is_ptx(left.trace) || !Side::is_ptx(right.trace);
  const bool ask_right = Side::is_ptx(right.trace) || !Side::is_ptx(left.trace);

  auto check = [&](uint32_t cell, const std::vector<Pair>& pairs) {
    for (size_t i = 0; i + 1 < pairs.size(); ++i) {
      const Pair &a = pairs[i], &b = pairs[i + 1];
      if (a.right < b.right || left.streams.thread(a.left) == left.streams.thread(b.left)) continue;
      const Event &first_write = left.event(a.left), &second_write = left.event(b.left);
      bool stores = first_write.kind == EventKind::kStore && second_write.kind == EventKind::kStore;
      bool same = stores && context.left_history.piece(a.left, first_write.value, cell) ==
                                context.left_history.piece(b.left, second_write.value, cell);
      if (same) continue;  // nobody can see which came first
      bool open = (!ask_left || left.order.open(a.left, b.left)) &&
                  (!ask_right || right.order.open(b.right, a.right));
      if (open) continue;
      std::string one = name_of(context.threads, left.streams.thread(a.left));
      std::string two = name_of(context.threads, left.streams.thread(b.left));
      first.offer(b.left,
                  location_divergence(
                      context, cell, b.left, a.right,
                      fmt::format("order of writes to {}: {} before {} (left) but after it (right)",
                                  name_of(context, cell), one, two)));
    }
  };

  std::vector<Pair> pairs_of_cell;
  for (uint32_t cell = 0; cell < context.cells.size(); ++cell) {
    std::span<const uint32_t> writes = context.left_history.writes(cell);
    if (writes.size() < 2) continue;
    pairs_of_cell.clear();
    bool one_thread = true;
    for (size_t i = 0; i < writes.size(); ++i) {
      one_thread = one_thread && left.streams.thread(writes[i]) == left.streams.thread(writes[0]);
      uint32_t partner = partners[context.left_history.first_slot(cell) + i];
      if (partner == kNone) continue;
      pairs_of_cell.push_back({writes[i], partner});
    }
    if (!one_thread) check(cell, pairs_of_cell);
  }
}

}  // namespace warplock::trace
