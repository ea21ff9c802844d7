#pragma once

#include <cstdint>
#include <vector>

#include "trace/context.h"

/// Stores that one compiler may keep and another leave out. Both functions take the writes of one
/// thread to one cell, in order, and give those that are left.
namespace warplock::trace {

using Writes = std::vector<uint32_t>;

/// Without stores that repeat the store right before them.
Writes without_repeats(const Side& side, const History& history, uint32_t cell,
                       const Writes& writes);

/// Without stores that nobody can have seen: the same thread overwrites them before any other
/// thread reads or writes there, or they store what is there already.
Writes only_visible(const Side& side, const History& history, uint32_t cell, const Writes& writes);

}  // namespace warplock::trace
