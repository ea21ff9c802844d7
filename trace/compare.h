#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/event.h"

namespace warplock::trace {

/// A place where two executions of one launch part.
struct Divergence {
  enum class Kind {
    kValue,     ///< the same event with another value (or address, or old value)
    kEvent,     ///< another event in the same place of a thread's order
    kMissing,   ///< one side ends earlier
    kLocation,  ///< a memory location's order of stores or final value differs
  };
  Kind kind = Kind::kValue;
  uint32_t cta = 0;
  uint32_t thread = 0;
  /// The two events; an empty one means that this side has none there.
  std::optional<Event> left, right;
  /// The up to ten events of that thread (of that location for kLocation) before the divergence.
  std::vector<Event> left_before, right_before;
  std::string what;  ///< one line: "value of %r5: 7, expected 6"
};

struct Comparison {
  uint64_t compared_events = 0;
  /// Events left out because PTX leaves their order open: the old values of atomics that several
  /// warps apply to one location, and what a thread does with them afterwards.
  uint64_t order_dependent_events = 0;
  std::optional<Divergence> divergence;  ///< the first one
};

/// Compares two traces of one launch at the lower of their two levels.
/// When both name PTX instructions of the same program, each thread's events are compared in
/// program order, then every location's stores in order. When one side does not (the native
/// oracle), only memory is compared: per thread and location the bytes stored, in order, and
/// atomics. Values that are addresses on both sides are equal when they name the same object and
/// offset. Throws `InputError` (class "trace") when the traces are not of the same launch and
/// program.
Comparison compare(const Trace& left, const Trace& right);

}  // namespace warplock::trace
