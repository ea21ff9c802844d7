#pragma once

#include <string>

#include "ptx/module.h"

namespace warplock::ptx {

/// Where two modules differ, for tests of the printer and of passes: the first thing that differs,
/// with its path; empty when they are equal. Positions in the text do not count.
std::string first_difference(const Module& a, const Module& b);

}  // namespace warplock::ptx
