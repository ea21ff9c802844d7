#include "trace/pair_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::trace {
namespace {

/// A machine of 32-bit words keeps the low word of any longer value, so none of its registers has
/// more than four bytes.
bool narrow(const Side& side) {
  return std::none_of(side.trace.events.begin(), side.trace.events.end(), [](const Event& event) {
    return event.kind == EventKind::kRegister && event.width > 4;
  });
}

/// Whether a register got what an event read, as far as both have bytes.
bool holds(const Event& written, const Event& read) {
  uint64_t seen = read.kind == EventKind::kAtomic ? read.old : read.value;
  return ((written.value ^ seen) & mask_of(std::min(written.width, read.width))) == 0;
}

std::string target(const Event& branch) {
  return branch.value == 0 ? "not taken" : fmt::format("taken to instruction {}", branch.value - 1);
}

std::string two_values(const std::string& what, uint64_t left, uint64_t right) {
  return fmt::format("{}: {} (left) but {} (right)", what, left, right);
}

}  // namespace

PairRules::PairRules(const Context& context, const Differences& differences)
    : context_(context),
      left_(context.left),
      right_(context.right),
      differences_(differences),
      left_is_narrow_(narrow(left_) && !narrow(right_)),
      right_is_narrow_(narrow(right_) && !narrow(left_)) {}

bool PairRules::same_widths(const Event& l, const Event& r) const {
  if (l.width == r.width) return true;
  if (l.kind != EventKind::kRegister) return false;
  return (left_is_narrow_ && l.width == 4 && r.width == 8) ||
         (right_is_narrow_ && r.width == 4 && l.width == 8);
}

bool PairRules::same_place(const Event& l, const Event& r) const {
  return l.space == r.space && l.offset == r.offset &&
         left_.objects[l.object] == right_.objects[r.object];
}

bool PairRules::same_value(const Event& l, const Event& r) const {
  if (!is_memory(l.kind) && l.kind != EventKind::kRegister) return l.value == r.value;
  return context_.matching.same_value(l.value, l.width, r.value, r.width);
}

bool PairRules::same_old(const Event& l, const Event& r) const {
  return l.kind != EventKind::kAtomic ||
         context_.matching.same_value(l.old, l.width, r.old, r.width);
}

bool PairRules::same_slot(uint32_t l, uint32_t r) const {
  const Event &a = left_.event(l), &b = right_.event(r);
  if (left_.instruction(l) != right_.instruction(r) || a.kind != b.kind || a.element != b.element) {
    return false;
  }
  return a.kind != EventKind::kRegister || left_.registers[a.object] == right_.registers[b.object];
}

std::optional<std::string> PairRules::why_wrong(uint32_t thread, uint32_t l, uint32_t r, bool place,
                                                bool value, bool old) const {
  const Event &a = left_.event(l), &b = right_.event(r);
  if (a.kind == EventKind::kRegister) return why_register_wrong(thread, l, r);
  const bool excused = differences_.may_differ(thread, left_.facts_at(l));
  if (a.kind == EventKind::kBranch) {
    if (excused) return std::nullopt;
    return fmt::format("branch: {} (left) but {} (right)", target(a), target(b));
  }
  if (!is_memory(a.kind)) {
    if (excused) return std::nullopt;
    return two_values("barrier", a.value, b.value);
  }
  if (!place && !excused) {
    return fmt::format("address: {} (left) but {} (right)", left_.location(a), right_.location(b));
  }
  if (is_write(a.kind) && !value && !excused) {
    const char* what = a.kind == EventKind::kStore ? "value stored to" : "operand of the atomic on";
    return two_values(fmt::format("{} {}", what, left_.location(a)), a.value & mask_of(a.width),
                      b.value & mask_of(b.width));
  }
  const bool read_agrees = a.kind == EventKind::kAtomic ? old : value;
  if (!is_read(a.kind) || (place && read_agrees)) return std::nullopt;
  return why_read_wrong(l, r, place);
}

std::optional<std::string> PairRules::why_register_wrong(uint32_t thread, uint32_t l,
                                                         uint32_t r) const {
  const Event &a = left_.event(l), &b = right_.event(r);
  const InstructionFacts& facts = left_.facts_at(l);
  bool excused = facts.open || differences_.may_differ(thread, facts);
  if (std::optional<ReadPair> read = read_of(l, r)) {
    // Each side's register must hold what its own load or atomic read.
    excused =
        !read->agrees && holds(a, left_.event(read->left)) == holds(b, right_.event(read->right));
  } else if (facts.is_active_mask) {
    excused = is_active_mask(left_, l) && is_active_mask(right_, r);
  }
  if (excused) return std::nullopt;
  return two_values(fmt::format("value of {}", left_.trace.register_names[a.object]),
                    a.value & mask_of(a.width), b.value & mask_of(b.width));
}

std::optional<std::string> PairRules::why_read_wrong(uint32_t l, uint32_t r, bool place) const {
  const Event &a = left_.event(l), &b = right_.event(r);
  if (place && !is_open_read(l, r)) {
    const bool atomic = a.kind == EventKind::kAtomic;
    const char* what = atomic ? "old value of the atomic on" : "value loaded from";
    return two_values(fmt::format("{} {}", what, left_.location(a)),
                      (atomic ? a.old : a.value) & mask_of(a.width),
                      (atomic ? b.old : b.value) & mask_of(b.width));
  }
  if (auto why = why_impossible(context_, true, l)) return why;
  return why_impossible(context_, false, r);
}

/// Nothing for other instructions, and for loads without an event (parameters, constants).
std::optional<PairRules::ReadPair> PairRules::read_of(uint32_t l, uint32_t r) const {
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
        right_.instruction(rights[j]) != right_.instruction(r)) {
      continue;
    }
    bool read_agrees = a.kind == EventKind::kAtomic ? same_old(a, b) : same_value(a, b);
    return ReadPair{lefts[i], rights[j], same_place(a, b) && read_agrees};
  }
  return std::nullopt;
}

/// Which lanes execute activemask together is open, but the lane itself does, and none that has
/// exited.
bool PairRules::is_active_mask(const Side& side, uint32_t index) const {
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
bool PairRules::is_open_read(uint32_t l, uint32_t r) const {
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

}  // namespace warplock::trace
