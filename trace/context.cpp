#include "trace/context.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::trace {
namespace {

constexpr size_t kEventsBefore = 10;

/// The last events of `indices` before `end` (all of them for `kNone`).
std::vector<Event> before(const Side& side, std::span<const uint32_t> indices, uint32_t end) {
  auto stop = end == kNone ? indices.end() : std::lower_bound(indices.begin(), indices.end(), end);
  auto start = stop - std::min<std::ptrdiff_t>(kEventsBefore, stop - indices.begin());
  std::vector<Event> out;
  for (; start != stop; ++start) out.push_back(side.event(*start));
  return out;
}

std::optional<Event> event_or_none(const Side& side, uint32_t index) {
  if (index == kNone) return std::nullopt;
  return side.event(index);
}

}  // namespace

std::string Side::location(const Event& at) const {
  return fmt::format("{}+{}", trace.objects[at.object].name, at.offset);
}

bool Side::is_ptx(const Trace& trace) {
  auto named = [](const Instruction& instruction) { return instruction.ptx_index != kNoPtxIndex; };
  // A kernel may end without an event that its executor records; then the table has to tell.
  if (trace.events.empty()) {
    return std::any_of(trace.instructions.begin(), trace.instructions.end(), named);
  }
  return std::all_of(trace.events.begin(), trace.events.end(), [&](const Event& event) {
    return named(trace.instructions[event.instruction]);
  });
}

Context::Context(const Trace& l, const Trace& r, Level compared, bool ptx)
    : level(compared),
      by_ptx(ptx),
      threads(l, r),
      matching(l, r),
      left(l, matching.left(), threads, names, level),
      right(r, matching.right(), threads, names, level),
      cells(left.streams, right.streams, threads, matching, by_ptx),
      left_history(left.streams, cells, &Cells::left, left.order, left.facts),
      right_history(right.streams, cells, &Cells::right, right.order, right.facts) {}

Divergence thread_divergence(const Context& context, Divergence::Kind kind, uint32_t thread,
                             uint32_t left, uint32_t right, std::string what) {
  Divergence out;
  out.kind = kind;
  out.cta = context.threads.info(thread).cta;
  out.thread = context.threads.info(thread).thread;
  out.left = event_or_none(context.left, left);
  out.right = event_or_none(context.right, right);
  out.left_before = before(context.left, context.left.streams.of(thread), left);
  out.right_before = before(context.right, context.right.streams.of(thread), right);
  out.what = std::move(what);
  return out;
}

Divergence location_divergence(const Context& context, uint32_t cell, uint32_t left, uint32_t right,
                               std::string what) {
  Divergence out;
  out.kind = Divergence::Kind::kLocation;
  const Side& side = left != kNone ? context.left : context.right;
  const Event& event = side.event(left != kNone ? left : right);
  out.cta = event.cta;
  out.thread = event.thread;
  out.left = event_or_none(context.left, left);
  out.right = event_or_none(context.right, right);
  out.left_before = before(context.left, context.left_history.writes(cell), left);
  out.right_before = before(context.right, context.right_history.writes(cell), right);
  out.what = std::move(what);
  return out;
}

}  // namespace warplock::trace
