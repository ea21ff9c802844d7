#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "suites/kernels/kernel.h"

/// What the tables of kernels share: making inputs, and reading a launch in host functions.
namespace warplock::suites {

using Words = std::vector<uint32_t>;

/// Marsaglia's 32-bit xorshift: the same numbers on every machine and with every library.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u | 1u) {}
  uint32_t next();
  /// A number below `bound`, which is at least 1.
  uint32_t below(uint32_t bound) { return next() % bound; }
  /// A number from `low` to `high`, both included, as the word that holds it.
  uint32_t between(int32_t low, int32_t high);
  Words words(size_t count);
  Words words_below(size_t count, uint32_t bound);
  Words words_between(size_t count, int32_t low, int32_t high);

 private:
  uint32_t state_;
};

executor::Argument buffer(std::string name, Words words);
executor::Argument scalar(std::string name, uint32_t value);
/// A buffer that the kernel writes, filled with a number that shows a missing store.
executor::Argument output(std::string name, size_t words);
/// A buffer that the kernel adds to.
executor::Argument zeros(std::string name, size_t words);

/// `words` words of which a kernel is told to use the first `n`.
struct Array {
  std::string name;
  Words words;
  uint32_t n = 0;
};

/// Arrays of `count` >= 4 words where kernels go wrong: zeros, -1, the extremes of int, powers of
/// two and their neighbours, ascending and descending ones, none at all (n = 0), a single one (n =
/// 1), a part (n = count - 3), random ones over the full range and from a small one, with
/// repetitions.
std::vector<Array> corner_arrays(size_t count);

/// The same for numbers below `bound` >= 2 alone.
std::vector<Array> small_arrays(size_t count, uint32_t bound);

/// One input for each array. `make(array, random)` gives the arguments; `random` differs by array.
template <typename Make>
std::vector<KernelInput> inputs_from(const std::vector<Array>& arrays, Make make) {
  std::vector<KernelInput> inputs;
  for (const Array& array : arrays) {
    Random random(static_cast<uint32_t>(inputs.size()) + 1);
    inputs.push_back({array.name, make(array, random)});
  }
  return inputs;
}

/// (in, out, n) over `corner_arrays`.
std::vector<KernelInput> unary_inputs(size_t count);
/// (a, b, out, n) over `corner_arrays`; b holds the same kind of numbers in another order.
std::vector<KernelInput> binary_inputs(size_t count);

/// The words in another order: moved on by a third, then each pair of neighbours swapped.
Words shuffled(const Words& words);
Words sorted_as_signed(Words words);

// For host functions.

inline uint32_t scalar_at(const executor::Launch& launch, size_t argument) {
  return static_cast<uint32_t>(launch.arguments[argument].scalar);
}
inline int32_t as_signed(uint32_t word) {
  return static_cast<int32_t>(word);
}
inline uint32_t as_word(int64_t value) {
  return static_cast<uint32_t>(value);
}
/// The first `n` words as signed numbers.
std::vector<int32_t> signed_prefix(const Words& words, size_t n);

/// buffers[to][i] = f(buffers[from][i]) for i < n.
template <typename F>
void map_words(Buffers& buffers, size_t from, size_t to, uint32_t n, F f) {
  for (uint32_t i = 0; i < n; ++i) buffers[to][i] = f(buffers[from][i]);
}

// The families, each in the file of its name.

std::vector<Kernel> elementwise_kernels();
std::vector<Kernel> reduction_kernels();
std::vector<Kernel> scan_kernels();
std::vector<Kernel> matrix_kernels();
std::vector<Kernel> sorting_kernels();
std::vector<Kernel> number_kernels();
std::vector<Kernel> bits_kernels();
std::vector<Kernel> dynamic_kernels();
std::vector<Kernel> graph_kernels();
std::vector<Kernel> automata_kernels();
std::vector<Kernel> fixed_point_kernels();
std::vector<Kernel> sync_kernels();
std::vector<Kernel> warp_kernels();
std::vector<Kernel> control_kernels();

}  // namespace warplock::suites
