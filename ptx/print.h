#pragma once

#include <string>

#include "ptx/module.h"

namespace warplock::ptx {

/// The module as PTX text that `parse` reads back into an equal module (positions aside) and that
/// ptxas accepts.
std::string print(const Module& module);

}  // namespace warplock::ptx
