#pragma once

#include <string>

#include "trace/event.h"

namespace warplock::trace {

/// What makes an event impossible in its trace ("register 7 of 3"), or empty.
std::string why_invalid(const Trace& trace, const Event& event);

}  // namespace warplock::trace
