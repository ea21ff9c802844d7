#pragma once

#include <string>

#include "ptx/module.h"

namespace warplock::ptx {

/// A bit pattern as a literal of its type: -1, 255, 0f3F800000.
std::string immediate_text(uint64_t value, Type type);

/// The name of the label at that place of the body. Throws `std::logic_error` when there is none.
const std::string& label_text(const Function& function, uint32_t target);

}  // namespace warplock::ptx
