#pragma once

#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace warplock::reference_interp {

/// Collects the events of one execution.
struct Recorder {
  trace::Level level = trace::Level::kOff;
  std::vector<trace::Event> events;

  bool memory() const { return level >= trace::Level::kMemory; }
  bool registers() const { return level >= trace::Level::kRegisters; }
};

}  // namespace warplock::reference_interp
