#pragma once

#include <cstddef>

#include "ptx/module.h"

namespace warplock::reference_interp {

/// The type that source k of an instruction must have; kNone where any will do (an address, or what
/// isspacep asks about). Vector elements are not counted here: source 1 of st.v4 is its vector.
ptx::Type source_type(const ptx::Instruction& in, size_t k);
/// The type of destination k.
ptx::Type destination_type(const ptx::Instruction& in, size_t k);

}  // namespace warplock::reference_interp
