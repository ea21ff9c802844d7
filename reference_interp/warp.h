#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "reference_interp/code.h"
#include "reference_interp/known.h"
#include "reference_interp/lanes.h"
#include "reference_interp/memory.h"

/// The state of a warp: per lane a program counter, a call depth and registers.
namespace warplock::reference_interp {

/// Registers of one function at one call depth of one warp. Lanes use their own columns, so lanes
/// that are in the function by different calls share a frame.
class Frame {
 public:
  explicit Frame(const FunctionCode& function)
      : lines_(new Line[(function.frame_bytes + sizeof(Line) - 1) / sizeof(Line)]()) {}

  std::byte* base() { return lines_[0].bytes; }
  /// By slot: the lanes in which it has a value.
  LaneMask* initialised() { return reinterpret_cast<LaneMask*>(base()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::unique_ptr<Line[]> lines_;
};

template <int W>
struct Warp {
  /// What belongs to one call depth.
  struct Level {
    std::vector<std::unique_ptr<Frame>> frames;  ///< by function; made when first needed
    std::array<uint32_t, W> return_pc{};
    std::array<uint32_t, W> local_base{};
  };

  uint32_t index = 0;         ///< in the CTA
  uint32_t first_thread = 0;  ///< linear id of lane 0
  ThreadId first_id = 0;      ///< of lane 0
  LaneMask exists = 0;        ///< the last warp may have fewer lanes than W
  LaneMask live = 0;          ///< not exited
  LaneMask at_barrier = 0;    ///< wait at bar or barrier
  LaneMask at_sync = 0;       ///< wait at a warp instruction with .sync for lanes of their mask
  LaneMask yielded = 0;       ///< let other lanes go first
  LaneMask carry = 0;         ///< CC.CF
  LaneMask carry_written = 0;
  bool queued = false;        ///< has a turn coming, or is having it
  bool communicated = false;  ///< the running lanes did an atomic access since their last jump back

  bool arrived = false;  ///< all live lanes wait at barrier `barrier_id[any]`
  std::array<uint32_t, W> barrier_id{};
  std::array<uint32_t, W> barrier_threads{};  ///< 0 = not given
  LaneMask barrier_predicate = 0;

  std::array<uint32_t, W> pc{};
  std::array<uint32_t, W> depth{};
  std::array<LaneMask, W> sync_mask{};
  std::vector<Level> levels;
  std::array<LocalMemory, W> local;
  /// instruction id * W + lane: executions so far; empty when nothing is traced.
  std::vector<uint32_t> occurrences;

  LaneMask runnable() const { return live & ~at_barrier & ~at_sync; }

  void place(LaneMask lanes, uint32_t to) {
    for_each_lane(lanes, [&](int lane) { pc[lane] = to; });
  }
};

}  // namespace warplock::reference_interp
