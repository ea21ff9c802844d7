#pragma once

#include "circuit/emitter.h"

namespace warplock::circuit {

/// What a special register reads in this launch. CTAs in three dimensions run as rows of x in
/// y + ny * z. Throws `Unfit` for the clocks and the like.
Value special_value(Emitter& emitter, ptx::SpecialRegister special);

/// How many rows and columns of CTAs the machine runs for a grid.
struct MachineGrid {
  uint32_t x = 1, y = 1;
};
/// Throws `Unfit` when the machine cannot run it.
MachineGrid machine_grid(const executor::Launch& launch, const MachineSpec& spec);

/// Lane masks of the warps of a CTA: threads in order, 4 to a warp. Throws `Unfit`.
std::vector<uint8_t> warp_lanes(const executor::Launch& launch, const MachineSpec& spec);

}  // namespace warplock::circuit
