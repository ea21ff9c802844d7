#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference_interp/warp.h"

namespace warplock::reference_interp {

inline constexpr uint32_t kBarriers = 16;

/// One of the sixteen barriers of a CTA.
struct Barrier {
  uint32_t arrivals = 0;  ///< warps that arrived since the last release
  uint32_t threads = 0;   ///< the count that was given; 0 = all threads of the CTA
  uint32_t first_pc = 0;  ///< of the first arrival, and who it was
  ThreadId first_thread = 0;
  ptx::BarrierOp reduction = ptx::BarrierOp::kNone;
  uint32_t true_predicates = 0;
  bool all_true = true;
  Known meeting;  ///< what the arrived know; used when a count is given
};

template <int W>
struct Cta {
  uint32_t index = 0;
  std::array<uint32_t, 3> id{};
  std::vector<Warp<W>> warps;
  uint32_t live_warps = 0;
  std::array<Barrier, kBarriers> barriers;
  SharedMemory shared;
  CtaClock clock;
};

}  // namespace warplock::reference_interp
