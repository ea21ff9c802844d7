#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "executor/launch.h"

namespace warplock::suites {

/// One set of arguments for a kernel. Buffers and scalars in the order of the kernel's parameters.
struct KernelInput {
  std::string name;  ///< "corner-0", "random-1", ...: unique in its kernel
  std::vector<executor::Argument> arguments;
};

/// The buffers of a launch by argument index: what they hold before, changed by a host function
/// into what they must hold after. Scalars have an empty entry.
using Buffers = std::vector<std::vector<uint32_t>>;

/// A kernel of the suite: one .cu file, one launch geometry, at least eight inputs, and plain C++
/// that computes the right result.
struct Kernel {
  std::string name;    ///< the .cu file's stem and the entry's name (extern "C")
  std::string family;  ///< "elementwise", "reduction", ...
  std::string about;   ///< one line for the report
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t shared_bytes = 0;
  std::vector<KernelInput> (*inputs)() = nullptr;
  /// Changes `buffers` into the right final contents. `launch` gives scalars, geometry and width.
  void (*host)(const executor::Launch& launch, Buffers& buffers) = nullptr;
  /// How the trace and the result may depend on the schedule: true when old values of atomics flow
  /// into results whose *set* alone is determined (a ticket, a position in a list).
  bool order_dependent = false;
};

/// Every kernel, by family and then by name. Checked on first use: unique names, at least eight
/// inputs with unique names, a host function.
const std::vector<Kernel>& all_kernels();

/// The folder that holds the .cu files, by family: KERNEL_DIR/family/name.cu. The environment
/// variable WARPLOCK_KERNELS replaces the folder that was compiled in.
std::string kernel_path(const Kernel& kernel);

/// The launch of one kernel on one input at one warp width.
executor::Launch make_launch(const Kernel& kernel, const KernelInput& input, uint32_t warp_width);

/// What the host function says that the buffers hold at the end, by argument name, as `expect` has
/// it.
std::map<std::string, std::vector<uint32_t>> host_result(const Kernel& kernel,
                                                         const executor::Launch& launch);

}  // namespace warplock::suites
