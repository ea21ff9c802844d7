#pragma once

#include <vector>

namespace warplock::native_exec {

/// A function that generated code calls. `signature` has the result first, then the parameters:
/// v void, i 32 bits, l 64 bits, p pointer.
struct Hook {
  const char* name;
  const char* signature;
  const void* address;
};

/// Every hook. Lowering declares them by signature; the JIT gets the addresses.
const std::vector<Hook>& all_hooks();

}  // namespace warplock::native_exec
