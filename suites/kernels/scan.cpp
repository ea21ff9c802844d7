#include <algorithm>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> block_inputs() {
  return unary_inputs(16);
}

void host_inclusive(const Launch& launch, Buffers& buffers) {
  const auto n = static_cast<std::ptrdiff_t>(scalar_at(launch, 2));
  std::partial_sum(buffers[0].begin(), buffers[0].begin() + n, buffers[1].begin());
}

void host_exclusive(const Launch& launch, Buffers& buffers) {
  const auto n = static_cast<std::ptrdiff_t>(scalar_at(launch, 2));
  std::exclusive_scan(buffers[0].begin(), buffers[0].begin() + n, buffers[1].begin(), 0u);
}

void host_scan_warp(const Launch& launch, Buffers& buffers) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) {
    if (i % launch.warp_width == 0) sum = 0;
    sum += buffers[0][i];
    buffers[1][i] = sum;
  }
}

std::vector<KernelInput> segmented_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random& random) {
    // From no heads at all to a head at every element.
    const uint32_t sparseness = 1 + random.below(6);
    Words heads(array.words.size());
    for (uint32_t& head : heads) head = random.below(sparseness) == 0 ? random.next() : 0;
    return std::vector<executor::Argument>{buffer("in", array.words), buffer("head", heads),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

void host_segmented(const Launch& launch, Buffers& buffers) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    sum = buffers[1][i] == 0 ? sum + buffers[0][i] : buffers[0][i];
    buffers[2][i] = sum;
  }
}

std::vector<KernelInput> compact_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           output("out", array.words.size()), output("count", 1),
                                           scalar("n", array.n)};
  });
}

void host_compact(const Launch& launch, Buffers& buffers) {
  const auto n = static_cast<std::ptrdiff_t>(scalar_at(launch, 3));
  const auto end = std::copy_if(buffers[0].begin(), buffers[0].begin() + n, buffers[1].begin(),
                                [](uint32_t word) { return as_signed(word) > 0; });
  buffers[2][0] = as_word(end - buffers[1].begin());
}

}  // namespace

std::vector<Kernel> scan_kernels() {
  const std::string family = "scan";
  return {
      {"scan_hillis_steele",
       family,
       "inclusive prefix sums by doubling",
       {1, 1, 1},
       {16, 1, 1},
       0,
       block_inputs,
       host_inclusive},
      {"scan_blelloch",
       family,
       "exclusive prefix sums by a tree",
       {1, 1, 1},
       {8, 1, 1},
       0,
       block_inputs,
       host_exclusive},
      {"scan_warp",
       family,
       "prefix sums of warps by shuffles",
       {1, 1, 1},
       {32, 1, 1},
       0,
       [] { return unary_inputs(32); },
       host_scan_warp},
      {"segmented_scan",
       family,
       "prefix sums that start anew at flags",
       {1, 1, 1},
       {16, 1, 1},
       0,
       segmented_inputs,
       host_segmented},
      {"compact",
       family,
       "positive elements only, in order",
       {1, 1, 1},
       {16, 1, 1},
       0,
       compact_inputs,
       host_compact},
  };
}

}  // namespace warplock::suites
