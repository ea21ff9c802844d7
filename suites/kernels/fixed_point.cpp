#include <algorithm>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> mandelbrot_inputs() {
  struct View {
    const char* name;
    int32_t left, top, step;
    uint32_t limit;
  };
  // Coordinates have 12 fractional bits: 4096 is 1.
  const View views[] = {
      {"whole", -8192, -4096, 1500, 20},    {"origin", 0, 0, 0, 30},
      {"no-steps", -8192, -4096, 1500, 0},  {"one-step", -8192, -4096, 1500, 1},
      {"seahorses", -3200, 300, 40, 40},    {"needle", -8000, -6, 4, 25},
      {"outside", 6000, 6000, 200, 10},     {"antenna", -5600, -20, 100, 32},
      {"period-three", -900, 2900, 60, 32},
  };
  std::vector<KernelInput> inputs;
  for (const View& view : views) {
    inputs.push_back(
        {view.name,
         {output("out", 32), scalar("left", as_word(view.left)), scalar("top", as_word(view.top)),
          scalar("step", as_word(view.step)), scalar("limit", view.limit)}});
  }
  return inputs;
}

/// Rounds towards minus infinity, as an arithmetic shift does.
int64_t floor_divide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0);
}

void host_mandelbrot(const Launch& launch, Buffers& buffers) {
  const int64_t left = as_signed(scalar_at(launch, 1)), top = as_signed(scalar_at(launch, 2));
  const int64_t step = as_signed(scalar_at(launch, 3));
  const int64_t width = int64_t{launch.grid[0]} * launch.block[0];
  for (size_t i = 0; i < buffers[0].size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const int64_t cx = left + place % width * step, cy = top + place / width * step;
    int64_t x = 0, y = 0;
    uint32_t count = 0;
    for (; count < scalar_at(launch, 4); ++count) {
      const int64_t xx = floor_divide(x * x, 4096), yy = floor_divide(y * y, 4096);
      if (xx + yy > 4 * 4096) break;
      y = floor_divide(x * y, 2048) + cy;
      x = xx - yy + cx;
    }
    buffers[0][i] = count;
  }
}

std::vector<KernelInput> reciprocal_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random&) {
    Words in = array.words;
    std::replace(in.begin(), in.end(), 0u, 1u);
    return std::vector<executor::Argument>{buffer("in", in), output("out", 24),
                                           scalar("n", array.n)};
  });
}

void host_reciprocal(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2), [](uint32_t d) { return 0xffffffff / d; });
}

std::vector<KernelInput> sqrt_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : small_arrays(16, 1u << 24)) {
    inputs.push_back(
        {array.name, {buffer("in", array.words), output("out", 16), scalar("n", array.n)}});
  }
  const Words squares{1,     255,   256,    257,      1023, 1024, 1025, 65535,
                      65536, 65537, 262144, 16777215, 2,    3,    4,    5};
  inputs.push_back({"squares", {buffer("in", squares), output("out", 16), scalar("n", 16)}});
  return inputs;
}

void host_sqrt(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2), [](uint32_t x) {
    // The greatest root whose square is not above x, by bisection.
    uint64_t low = 0, high = 1 << 16;
    while (high - low > 1) {
      const uint64_t middle = (low + high) / 2;
      (middle * middle <= uint64_t{x} * 256 ? low : high) = middle;
    }
    return static_cast<uint32_t>(low);
  });
}

std::vector<KernelInput> lerp_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    Words a = array.words;
    for (uint32_t& word : a) word = as_word(static_cast<int16_t>(word));
    const int32_t weights[] = {0, 256, 128, 1, as_signed(random.below(257))};
    return std::vector<executor::Argument>{
        buffer("a", a), buffer("b", random.words_between(24, -32768, 32767)), output("out", 24),
        scalar("weight", as_word(weights[random.below(5)])), scalar("n", array.n)};
  });
}

void host_lerp(const Launch& launch, Buffers& buffers) {
  const int64_t weight = scalar_at(launch, 3);
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    const int64_t a = as_signed(buffers[0][i]), b = as_signed(buffers[1][i]);
    buffers[2][i] = as_word(floor_divide(a * (256 - weight) + b * weight + 128, 256));
  }
}

std::vector<KernelInput> multiply_inputs() {
  std::vector<KernelInput> inputs = binary_inputs(24);
  Random random(16);
  inputs.push_back(
      {"near-one",
       {buffer("a", random.words_between(24, -200000, 200000)),
        buffer("b", random.words_between(24, 60000, 70000)), output("out", 24), scalar("n", 24)}});
  return inputs;
}

void host_multiply(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    const int64_t product = int64_t{as_signed(buffers[0][i])} * as_signed(buffers[1][i]);
    buffers[2][i] = as_word(
        std::clamp<int64_t>(floor_divide(product, 65536), -int64_t{0x80000000}, 0x7fffffff));
  }
}

}  // namespace

std::vector<Kernel> fixed_point_kernels() {
  const std::string family = "fixed_point";
  return {
      {"mandelbrot",
       family,
       "Mandelbrot set with 12 fractional bits",
       {2, 1, 1},
       {4, 4, 1},
       0,
       mandelbrot_inputs,
       host_mandelbrot},
      {"newton_reciprocal",
       family,
       "reciprocals by Newton's iteration",
       {3, 1, 1},
       {8, 1, 1},
       0,
       reciprocal_inputs,
       host_reciprocal},
      {"fixed_sqrt",
       family,
       "square roots by Heron's iteration",
       {2, 1, 1},
       {8, 1, 1},
       0,
       sqrt_inputs,
       host_sqrt},
      {"lerp", family, "linear interpolation", {3, 1, 1}, {8, 1, 1}, 0, lerp_inputs, host_lerp},
      {"q16_multiply",
       family,
       "saturated products with 16 fractional bits",
       {3, 1, 1},
       {8, 1, 1},
       0,
       multiply_inputs,
       host_multiply},
  };
}

}  // namespace warplock::suites
