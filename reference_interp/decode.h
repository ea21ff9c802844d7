#pragma once

#include <memory>
#include <string>

#include "reference_interp/code.h"
#include "reference_interp/reference.h"

namespace warplock::reference_interp {

/// Thrown for programs that are fine but not for this executor.
struct Unsupported {
  std::string reason;
};

/// Decodes a module for warps of W lanes. Throws `Unsupported`, and `InputError` (class "resource
/// limit") for local variables that are larger than local memory.
template <int W>
Code<W> decode(std::shared_ptr<const ptx::Module> module, const VariableAddresses& addresses,
               const Options& options);

}  // namespace warplock::reference_interp
