#pragma once

#include <memory>

#include "circuit/isa.h"
#include "executor/executor.h"

namespace warplock::circuit {

/// The executor `machine`: lowers a kernel to machine blocks and emulates them.
std::unique_ptr<executor::Executor> make_machine(MachineSpec spec = {});

}  // namespace warplock::circuit
