#include <algorithm>
#include <cstdlib>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> pair_inputs() {
  return binary_inputs(24);
}

void host_vector_add(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) buffers[2][i] = buffers[0][i] + buffers[1][i];
}

std::vector<KernelInput> saxpy_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    const uint32_t alphas[] = {0, 1, 0xffffffff, 0x80000000, random.next()};
    return std::vector<executor::Argument>{
        scalar("alpha", alphas[random.below(5)]), buffer("x", array.words),
        buffer("y", shuffled(array.words)), scalar("n", array.n)};
  });
}

void host_saxpy(const Launch& launch, Buffers& buffers) {
  const uint64_t alpha = scalar_at(launch, 0);
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    buffers[2][i] = static_cast<uint32_t>(alpha * buffers[1][i] + buffers[2][i]);
  }
}

std::vector<KernelInput> clamp_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    const int32_t bounds[][2] = {{-3, 2}, {0, 0}, {-0x7fffffff - 1, 0x7fffffff}, {-1, 1 << 20}};
    const auto& bound = bounds[random.below(4)];
    return std::vector<executor::Argument>{
        buffer("in", array.words), output("out", array.words.size()),
        scalar("low", as_word(bound[0])), scalar("high", as_word(bound[1])), scalar("n", array.n)};
  });
}

void host_clamp(const Launch& launch, Buffers& buffers) {
  const int32_t low = as_signed(scalar_at(launch, 2));
  const int32_t high = as_signed(scalar_at(launch, 3));
  map_words(buffers, 0, 1, scalar_at(launch, 4),
            [&](uint32_t x) { return as_word(std::clamp(as_signed(x), low, high)); });
}

void host_abs_diff(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    buffers[2][i] =
        as_word(std::llabs(int64_t{as_signed(buffers[0][i])} - as_signed(buffers[1][i])));
  }
}

std::vector<KernelInput> select_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("condition", shuffled(array.words)),
                                           buffer("a", array.words),
                                           buffer("b", random.words(array.words.size())),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

void host_select(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    buffers[3][i] = buffers[buffers[0][i] == 0 ? 2 : 1][i];
  }
}

void host_average_bytes(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    uint32_t result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      const uint32_t a = buffers[0][i] >> shift & 255, b = buffers[1][i] >> shift & 255;
      result |= (a + b) / 2 << shift;
    }
    buffers[2][i] = result;
  }
}

}  // namespace

std::vector<Kernel> elementwise_kernels() {
  const std::string family = "elementwise";
  return {
      {"vector_add",
       family,
       "sum of two vectors",
       {3, 1, 1},
       {8, 1, 1},
       0,
       pair_inputs,
       host_vector_add},
      {"saxpy_int",
       family,
       "alpha x + y with a grid-stride loop",
       {2, 1, 1},
       {5, 1, 1},
       0,
       saxpy_inputs,
       host_saxpy},
      {"clamp_values",
       family,
       "numbers limited to a range",
       {3, 1, 1},
       {8, 1, 1},
       0,
       clamp_inputs,
       host_clamp},
      {"abs_diff",
       family,
       "distance of signed numbers",
       {3, 1, 1},
       {8, 1, 1},
       0,
       pair_inputs,
       host_abs_diff},
      {"select_where",
       family,
       "one of two elements by a condition",
       {3, 1, 1},
       {8, 1, 1},
       0,
       select_inputs,
       host_select},
      {"average_bytes",
       family,
       "averages of packed bytes",
       {3, 1, 1},
       {8, 1, 1},
       0,
       pair_inputs,
       host_average_bytes},
  };
}

}  // namespace warplock::suites
