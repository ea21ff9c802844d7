#include <algorithm>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

/// `corner_arrays`, each used at another size: `sizes` in turn, 0 for "empty", 1 for "single".
std::vector<Array> sized_arrays(size_t count, const std::vector<uint32_t>& sizes) {
  std::vector<Array> arrays = corner_arrays(count);
  size_t next = 0;
  for (Array& array : arrays) {
    if (array.n > 1) array.n = sizes[next++ % sizes.size()];
  }
  return arrays;
}

std::vector<KernelInput> matmul_inputs(uint32_t greatest) {
  const std::vector<uint32_t> sizes{greatest, greatest - 1, greatest / 2};
  return inputs_from(sized_arrays(greatest * greatest, sizes), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("a", array.words),
                                           buffer("b", shuffled(array.words)),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

void host_matmul(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 3);
  std::fill_n(buffers[2].begin(), n * n, 0);
  for (uint32_t k = 0; k < n; ++k) {
    for (uint32_t row = 0; row < n; ++row) {
      for (uint32_t column = 0; column < n; ++column) {
        buffers[2][row * n + column] += buffers[0][row * n + k] * buffers[1][k * n + column];
      }
    }
  }
}

/// (in, out, width, height) with shapes up to 7 x 6.
std::vector<KernelInput> transpose_inputs() {
  return inputs_from(corner_arrays(42), [](const Array& array, Random& random) {
    uint32_t width = 1 + random.below(7), height = 1 + random.below(6);
    if (array.name == "empty") width = 0;
    if (array.name == "single") width = height = 1;
    if (array.name == "random-full") width = 7, height = 6;
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           output("out", array.words.size()),
                                           scalar("width", width), scalar("height", height)};
  });
}

void host_transpose(const Launch& launch, Buffers& buffers) {
  const uint32_t width = scalar_at(launch, 2), height = scalar_at(launch, 3);
  for (uint32_t i = 0; i < width * height; ++i) {
    buffers[1][i % width * height + i / width] = buffers[0][i];
  }
}

std::vector<KernelInput> matvec_inputs() {
  return inputs_from(corner_arrays(64), [](const Array& array, Random& random) {
    const uint32_t rows = array.n == 0 ? 0 : 1 + random.below(8);
    const uint32_t columns = array.n == 1 ? 0 : 1 + random.below(8);
    return std::vector<executor::Argument>{buffer("matrix", array.words),
                                           buffer("vector", random.words(8)), output("out", 8),
                                           scalar("rows", rows), scalar("columns", columns)};
  });
}

void host_matvec(const Launch& launch, Buffers& buffers) {
  const uint32_t rows = scalar_at(launch, 3), columns = scalar_at(launch, 4);
  std::fill_n(buffers[2].begin(), rows, 0);
  for (uint32_t i = 0; i < rows * columns; ++i) {
    buffers[2][i / columns] += buffers[0][i] * buffers[1][i % columns];
  }
}

/// The element at `i`, or zero outside [0, n).
uint32_t at(const Words& words, int64_t i, uint32_t n) {
  return i >= 0 && i < n ? words[static_cast<size_t>(i)] : 0;
}

void host_stencil_1d(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  const Words& in = buffers[0];
  for (int64_t i = 0; i < n; ++i) {
    buffers[1][static_cast<size_t>(i)] = at(in, i - 1, n) + 2 * at(in, i, n) + at(in, i + 1, n);
  }
}

std::vector<KernelInput> stencil_2d_inputs() {
  return inputs_from(sized_arrays(36, {6, 5, 3}), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

void host_stencil_2d(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  std::copy_n(buffers[0].begin(), n * n, buffers[1].begin());
  for (uint32_t y = 1; y + 1 < n; ++y) {
    for (uint32_t x = 1; x + 1 < n; ++x) {
      uint32_t sum = 0;
      for (const uint32_t i : {y * n + x - 1, y * n + x + 1, (y - 1) * n + x, (y + 1) * n + x}) {
        sum += buffers[0][i];
      }
      buffers[1][y * n + x] = sum / 4;
    }
  }
}

void host_convolve_1d(const Launch& launch, Buffers& buffers) {
  const int64_t weights[] = {1, -3, 7, -3, 2};
  const uint32_t n = scalar_at(launch, 2);
  for (int64_t i = 0; i < n; ++i) {
    int64_t sum = 0;
    for (int64_t k = -2; k <= 2; ++k) sum += weights[2 - k] * at(buffers[0], i + k, n);
    buffers[1][static_cast<size_t>(i)] = as_word(sum);
  }
}

std::vector<KernelInput> convolve_2d_inputs() {
  return inputs_from(corner_arrays(256), [](const Array& array, Random& random) {
    uint32_t width = 1 + random.below(16), height = 1 + random.below(16);
    if (array.name == "empty") height = 0;
    if (array.name == "single") width = height = 1;
    if (array.name == "random-full") width = height = 16;
    return std::vector<executor::Argument>{
        buffer("in", array.words), buffer("weight", random.words_between(9, -5, 5)),
        output("out", array.words.size()), scalar("width", width), scalar("height", height)};
  });
}

void host_convolve_2d(const Launch& launch, Buffers& buffers) {
  const auto width = static_cast<int>(scalar_at(launch, 3));
  const auto height = static_cast<int>(scalar_at(launch, 4));
  for (int i = 0; i < width * height; ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < 9; ++k) {
      const int x = std::clamp(i % width + 1 - k % 3, 0, width - 1);
      const int y = std::clamp(i / width + 1 - k / 3, 0, height - 1);
      sum += buffers[1][static_cast<size_t>(k)] * buffers[0][static_cast<size_t>(y * width + x)];
    }
    buffers[2][static_cast<size_t>(i)] = sum;
  }
}

std::vector<KernelInput> trace_inputs() {
  return inputs_from(sized_arrays(64, {8, 7, 2}), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("matrix", array.words), zeros("out", 1),
                                           scalar("n", array.n)};
  });
}

void host_trace(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  for (uint32_t i = 0; i < n * n; ++i) {
    if (i / n == i % n) buffers[1][0] += buffers[0][i];
  }
}

std::vector<KernelInput> volume_inputs() {
  return inputs_from(corner_arrays(48), [](const Array& array, Random& random) {
    uint32_t size[] = {1 + random.below(4), 1 + random.below(3), 1 + random.below(4)};
    if (array.name == "empty") size[2] = 0;
    if (array.name == "single") size[0] = size[1] = size[2] = 1;
    if (array.name == "random-full") size[0] = 4, size[1] = 3, size[2] = 4;
    return std::vector<executor::Argument>{
        buffer("in", array.words), output("out", array.words.size()), scalar("width", size[0]),
        scalar("height", size[1]), scalar("depth", size[2])};
  });
}

void host_volume(const Launch& launch, Buffers& buffers) {
  const uint32_t layer = scalar_at(launch, 2) * scalar_at(launch, 3);
  const uint32_t all = layer * scalar_at(launch, 4);
  for (uint32_t i = 0; i < all; ++i) {
    buffers[1][i] = (i + layer < all ? buffers[0][i + layer] : 2 * buffers[0][i]) - buffers[0][i];
  }
}

}  // namespace

std::vector<Kernel> matrix_kernels() {
  const std::string family = "matrix";
  return {
      {"matmul_naive",
       family,
       "matrix product, an element a thread",
       {2, 2, 1},
       {3, 3, 1},
       0,
       [] { return matmul_inputs(5); },
       host_matmul},
      {"matmul_tiled",
       family,
       "matrix product through shared tiles",
       {2, 2, 1},
       {8, 8, 1},
       0,
       [] { return matmul_inputs(16); },
       host_matmul},
      {"transpose",
       family,
       "transposition through a padded tile",
       {2, 2, 1},
       {4, 4, 1},
       0,
       transpose_inputs,
       host_transpose},
      {"matvec",
       family,
       "matrix times vector",
       {1, 1, 1},
       {8, 1, 1},
       0,
       matvec_inputs,
       host_matvec},
      {"stencil_1d",
       family,
       "three-point stencil with a halo",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return unary_inputs(24); },
       host_stencil_1d},
      {"stencil_2d",
       family,
       "five-point Jacobi step",
       {2, 2, 1},
       {3, 3, 1},
       0,
       stencil_2d_inputs,
       host_stencil_2d},
      {"convolve_1d",
       family,
       "convolution with constant weights",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return unary_inputs(24); },
       host_convolve_1d},
      {"convolve_2d",
       family,
       "3 x 3 convolution of an image",
       {2, 2, 1},
       {8, 8, 1},
       0,
       convolve_2d_inputs,
       host_convolve_2d},
      {"trace_diagonal",
       family,
       "sum of the diagonal",
       {1, 1, 1},
       {8, 1, 1},
       0,
       trace_inputs,
       host_trace},
      {"volume_difference",
       family,
       "differences on a three-dimensional grid",
       {2, 3, 2},
       {2, 1, 2},
       0,
       volume_inputs,
       host_volume},
  };
}

}  // namespace warplock::suites
