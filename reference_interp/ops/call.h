#pragma once

#include "reference_interp/step.h"

/// Calls of device functions (PTX ISA 9.7.12.5 and 7.1). Every lane has a call stack of its own;
/// lanes run together when they are at the same instruction and depth.
namespace warplock::reference_interp {

template <int W>
void call_function(Step<W>& s);
/// ret at depth > 0.
template <int W>
void return_lanes(Step<W>& s);

}  // namespace warplock::reference_interp
