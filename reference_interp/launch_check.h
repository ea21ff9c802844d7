#pragma once

#include "executor/launch.h"
#include "ptx/module.h"

namespace warplock::reference_interp {

/// The entry that a launch names. Throws `InputError`, with its place in the launch file, when
/// there is none, when the arguments do not fit the parameters, or when the block is not one that
/// the entry's .maxntid or .reqntid allow.
const ptx::Function& check_launch(const ptx::Module& module, const executor::Launch& launch);

}  // namespace warplock::reference_interp
