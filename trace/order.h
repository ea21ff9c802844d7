#pragma once

#include <cstdint>
#include <vector>

#include "trace/facts.h"
#include "trace/threads.h"

namespace warplock::trace {

/// The order that one trace's events must have in every execution: a thread's program order, and
/// barriers. It is read from arrivals and releases alone.
class FixedOrder {
 public:
  /// One use of a barrier: all who arrived until the first of them went on.
  struct Use {
    uint32_t group = 0;    ///< CTA
    uint64_t barrier = 0;  ///< its number
    uint32_t arrived = 0;  ///< how many threads
    uint32_t release = 0;  ///< the event that was released first
  };

  FixedOrder(const Streams& streams, const Threads& threads,
             const std::vector<InstructionFacts>& facts);

  const std::vector<Use>& uses() const { return uses_; }

  /// Whether event `a`, which is before `b` in the trace, is before it in every execution.
  bool ordered(uint32_t a, uint32_t b) const;
  /// Whether the order of `a` before `b` was open: no barrier decides it, but the two threads did
  /// something that can decide it at run time (atomics, volatile or relaxed accesses). Two accesses
  /// without even that are a data race, whose order is not excused.
  bool open(uint32_t a, uint32_t b) const;

 private:
  struct Epoch {
    uint32_t position;  ///< from this position in the thread's order on
    uint32_t clock;     ///< index into `clocks_`
  };

  void find_uses(const std::vector<InstructionFacts>& facts);
  uint32_t clock_at(uint32_t event) const;

  const Streams& streams_;
  const Threads& threads_;
  std::vector<Use> uses_;
  std::vector<std::vector<Epoch>> epochs_;  ///< by thread
  /// By clock and rank of a thread in the CTA: how many of its events are before.
  std::vector<std::vector<uint32_t>> clocks_;
  /// By CTA: strong accesses that write, and that read, in the order of the trace.
  std::vector<std::vector<uint32_t>> releases_, acquires_;
  std::vector<bool> strong_;  ///< by event
};

}  // namespace warplock::trace
