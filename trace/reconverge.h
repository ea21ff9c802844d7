#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/threads.h"

namespace warplock::trace {

/// Where two executions of a thread that took different ways must meet again: the immediate
/// post-dominator, in the graph of which instruction's event followed which, in either trace.
class Reconvergence {
 public:
  static constexpr uint32_t kEnd = 0xffffffff;

  Reconvergence(const Streams& left, const std::vector<uint32_t>& left_numbers,
                const Streams& right, const std::vector<uint32_t>& right_numbers, size_t threads,
                uint32_t instructions);

  /// The instruction (common number) that every way from `instruction` leads to; `kEnd` when that
  /// is only the thread's end. `kNone` asks for the thread's start.
  uint32_t after(uint32_t instruction) const;

 private:
  uint32_t instructions_;
  std::vector<uint32_t> immediate_;  ///< by node; nodes are the instructions, the start, the end
};

/// The PTX indices of what a thread executed after its event at position `begin - 1` and before
/// that at `end`, also of instructions without events: between events that are no branches,
/// execution is straight. Nothing where that does not work out.
std::optional<std::vector<uint32_t>> executed_between(const Streams& streams, uint32_t thread,
                                                      uint32_t begin, uint32_t end);

}  // namespace warplock::trace
