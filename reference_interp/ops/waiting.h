#pragma once

#include "reference_interp/step.h"

/// Barriers and exits change who waits for whom.
namespace warplock::reference_interp {

/// The executing lanes leave the kernel.
template <int W>
void exit_lanes(Step<W>& s);

/// Lanes of the warp have exited: what the others wait for may be there now.
template <int W>
void after_exit(Step<W>& s);

}  // namespace warplock::reference_interp
