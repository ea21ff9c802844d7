#include "suites/kernels/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "suites/kernels/inputs.h"

#include <fmt/format.h>

namespace warplock::suites {
namespace {

constexpr size_t kLeastInputs = 8;

/// A wrong table is a fault of the program, not of its user: logic_error.
void check(const Kernel& kernel) {
  const auto fail = [&](const std::string& what) {
    throw std::logic_error(fmt::format("kernel table: {}: {}", kernel.name, what));
  };
  if (kernel.about.empty()) fail("says nothing about itself");
  if (kernel.inputs == nullptr || kernel.host == nullptr) fail("lacks inputs or a host function");
  std::set<std::string> names;
  for (const KernelInput& input : kernel.inputs()) {
    if (!names.insert(input.name).second) fail("has two inputs named " + input.name);
  }
  if (names.size() < kLeastInputs) fail(fmt::format("has only {} inputs", names.size()));
}

std::vector<Kernel> collect() {
  std::vector<Kernel> all;
  for (auto family :
       {automata_kernels, bits_kernels, control_kernels, dynamic_kernels, elementwise_kernels,
        fixed_point_kernels, graph_kernels, matrix_kernels, number_kernels, reduction_kernels,
        scan_kernels, sorting_kernels, sync_kernels, warp_kernels}) {
    for (Kernel& kernel : family()) all.push_back(std::move(kernel));
  }
  std::sort(all.begin(), all.end(), [](const Kernel& a, const Kernel& b) {
    return a.family != b.family ? a.family < b.family : a.name < b.name;
  });
  std::set<std::string> names;
  for (const Kernel& kernel : all) {
    check(kernel);
    if (!names.insert(kernel.name).second) {
      throw std::logic_error("kernel table: two kernels named " + kernel.name);
    }
  }
  return all;
}

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = collect();
  return kernels;
}

std::string kernel_path(const Kernel& kernel) {
  const char* folder = std::getenv("WARPLOCK_KERNELS");
  if (folder == nullptr || *folder == '\0') folder = WARPLOCK_KERNEL_DIR;
  return fmt::format("{}/{}/{}.cu", folder, kernel.family, kernel.name);
}

executor::Launch make_launch(const Kernel& kernel, const KernelInput& input, uint32_t warp_width) {
  executor::Launch launch;
  launch.entry = kernel.name;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  launch.warp_width = warp_width;
  launch.arguments = input.arguments;
  launch.shared_bytes = kernel.shared_bytes;
  return launch;
}

std::map<std::string, std::vector<uint32_t>> host_result(const Kernel& kernel,
                                                         const executor::Launch& launch) {
  Buffers buffers;
  for (const executor::Argument& argument : launch.arguments) {
    buffers.push_back(argument.is_buffer ? argument.words : std::vector<uint32_t>{});
  }
  kernel.host(launch, buffers);
  std::map<std::string, std::vector<uint32_t>> result;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (launch.arguments[i].is_buffer) result[launch.arguments[i].name] = std::move(buffers[i]);
  }
  return result;
}

}  // namespace warplock::suites
