#include <algorithm>
#include <climits>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

uint32_t sum_of(const Words& words, size_t begin, size_t end) {
  return std::accumulate(words.begin() + static_cast<std::ptrdiff_t>(begin),
                         words.begin() + static_cast<std::ptrdiff_t>(end), 0u);
}

std::vector<KernelInput> sum_tree_inputs() {
  return inputs_from(corner_arrays(32), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 2),
                                           scalar("n", array.n)};
  });
}

void host_sum_tree(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  for (uint32_t block = 0; block < launch.grid[0]; ++block) {
    const uint32_t begin = std::min(n, block * launch.block[0]);
    buffers[1][block] = sum_of(buffers[0], begin, std::min(n, begin + launch.block[0]));
  }
}

/// (in, total, n), the total starting at a number of its own.
std::vector<KernelInput> total_inputs(size_t count) {
  return inputs_from(corner_arrays(count), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           buffer("total", random.words_below(1, 100)),
                                           scalar("n", array.n)};
  });
}

void host_total(const Launch& launch, Buffers& buffers) {
  buffers[1][0] += sum_of(buffers[0], 0, scalar_at(launch, 2));
}

std::vector<KernelInput> min_max_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           buffer("limits", {0x7fffffff, 0x80000000}),
                                           scalar("n", array.n)};
  });
}

void host_min_max(const Launch& launch, Buffers& buffers) {
  const std::vector<int32_t> values = signed_prefix(buffers[0], scalar_at(launch, 2));
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  buffers[1] = {as_word(*low), as_word(*high)};
}

std::vector<KernelInput> argmax_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 2),
                                           scalar("n", array.n)};
  });
}

void host_argmax(const Launch& launch, Buffers& buffers) {
  const std::vector<int32_t> values = signed_prefix(buffers[0], scalar_at(launch, 2));
  if (values.empty()) {
    buffers[1] = {0x80000000, 0x7fffffff};
    return;
  }
  const auto greatest = std::max_element(values.begin(), values.end());
  buffers[1] = {as_word(*greatest), as_word(greatest - values.begin())};
}

std::vector<KernelInput> dot_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("a", array.words),
                                           buffer("b", shuffled(array.words)), zeros("out", 1),
                                           scalar("n", array.n)};
  });
}

void host_dot(const Launch& launch, Buffers& buffers) {
  const auto n = static_cast<std::ptrdiff_t>(scalar_at(launch, 3));
  buffers[2][0] = std::inner_product(buffers[0].begin(), buffers[0].begin() + n, buffers[1].begin(),
                                     buffers[2][0]);
}

std::vector<KernelInput> count_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    const int32_t bounds[][2] = {{-2, 2}, {0, INT_MAX}, {INT_MIN, INT_MAX}, {-1, -1}};
    const auto& bound = bounds[random.below(4)];
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           output("count", 3),
                                           output("all", 3),
                                           output("negative", 3),
                                           scalar("low", as_word(bound[0])),
                                           scalar("high", as_word(bound[1])),
                                           scalar("n", array.n)};
  });
}

void host_count(const Launch& launch, Buffers& buffers) {
  const int32_t low = as_signed(scalar_at(launch, 4)), high = as_signed(scalar_at(launch, 5));
  buffers[1] = {0, 0, 0};
  buffers[2] = {1, 1, 1};
  buffers[3] = {0, 0, 0};
  for (uint32_t i = 0; i < scalar_at(launch, 6); ++i) {
    const int32_t value = as_signed(buffers[0][i]);
    const uint32_t block = i / launch.block[0];
    if (value < low || value > high) {
      buffers[2][block] = 0;
    } else {
      ++buffers[1][block];
    }
    if (value < 0) buffers[3][block] = 1;
  }
}

std::vector<KernelInput> wide_inputs() {
  return inputs_from(corner_arrays(40), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{
        buffer("a", array.words), buffer("b", shuffled(array.words)), output("low", 8),
        output("high", 8), scalar("columns", std::min(array.n, 5u))};
  });
}

void host_wide(const Launch& launch, Buffers& buffers) {
  const uint32_t columns = scalar_at(launch, 4);
  for (uint32_t row = 0; row < launch.block[0]; ++row) {
    uint64_t sum = 0;
    for (uint32_t i = row * columns; i < (row + 1) * columns; ++i) {
      const int64_t product = int64_t{as_signed(buffers[0][i])} * as_signed(buffers[1][i]);
      sum += static_cast<uint64_t>(product);
    }
    buffers[2][row] = static_cast<uint32_t>(sum);
    buffers[3][row] = static_cast<uint32_t>(sum / 0x100000000);
  }
}

}  // namespace

std::vector<Kernel> reduction_kernels() {
  const std::string family = "reduction";
  return {
      {"sum_tree",
       family,
       "sums by a tree in shared memory",
       {2, 1, 1},
       {16, 1, 1},
       0,
       sum_tree_inputs,
       host_sum_tree},
      {"sum_shuffle",
       family,
       "sum by shuffles and one atomic a warp",
       {1, 1, 1},
       {32, 1, 1},
       0,
       [] { return total_inputs(32); },
       host_total},
      {"sum_atomic",
       family,
       "sum by one atomic a thread",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return total_inputs(24); },
       host_total},
      {"min_max_atomic",
       family,
       "least and greatest element by atomics",
       {3, 1, 1},
       {8, 1, 1},
       0,
       min_max_inputs,
       host_min_max},
      {"argmax",
       family,
       "greatest element and its place",
       {1, 1, 1},
       {8, 1, 1},
       0,
       argmax_inputs,
       host_argmax},
      {"dot_product",
       family,
       "dot product through shared memory",
       {3, 1, 1},
       {8, 1, 1},
       0,
       dot_inputs,
       host_dot},
      {"count_in_range",
       family,
       "the three barriers that reduce",
       {3, 1, 1},
       {8, 1, 1},
       0,
       count_inputs,
       host_count},
      {"sum_two_level",
       family,
       "sum by grid-stride loop, shuffles and warps",
       {2, 1, 1},
       {256, 1, 1},
       0,
       [] { return total_inputs(1000); },
       host_total},
      {"dot_wide",
       family,
       "dot products with 64-bit sums",
       {1, 1, 1},
       {8, 1, 1},
       0,
       wide_inputs,
       host_wide},
  };
}

}  // namespace warplock::suites
