#include <algorithm>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

/// (data, n), sorted in place.
std::vector<KernelInput> in_place_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("data", array.words), scalar("n", array.n)};
  });
}

void sort_prefix(Words& words, size_t n) {
  std::vector<int32_t> values = signed_prefix(words, n);
  std::sort(values.begin(), values.end());
  std::copy(values.begin(), values.end(), words.begin());
}

void host_in_place(const Launch& launch, Buffers& buffers) {
  sort_prefix(buffers[0], scalar_at(launch, 1));
}

void host_rank_sort(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  std::copy_n(buffers[0].begin(), n, buffers[1].begin());
  sort_prefix(buffers[1], n);
}

void host_counting_sort(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  uint32_t place = 0;
  for (uint32_t key = 0; key < 8; ++key) {
    for (uint32_t i = 0; i < n; ++i) {
      if (buffers[0][i] % 8 == key) buffers[1][place++] = buffers[0][i];
    }
  }
}

/// `words` with the first `n` sorted.
Words sorted_prefix(Words words, size_t n) {
  sort_prefix(words, n);
  return words;
}

std::vector<KernelInput> search_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    // Numbers that are there, their neighbours, and the extremes.
    Words wanted{0x80000000, 0x7fffffff};
    while (wanted.size() < 16) {
      wanted.push_back(array.words[random.below(24)] + random.below(3) - 1);
    }
    return std::vector<executor::Argument>{buffer("sorted", sorted_prefix(array.words, array.n)),
                                           buffer("wanted", wanted), output("out", 16),
                                           scalar("n", array.n), scalar("m", 16 - random.below(4))};
  });
}

void host_search(const Launch& launch, Buffers& buffers) {
  const std::vector<int32_t> sorted = signed_prefix(buffers[0], scalar_at(launch, 3));
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), as_signed(buffers[1][i]));
    buffers[2][i] = as_word(place - sorted.begin());
  }
}

std::vector<KernelInput> merge_inputs() {
  return inputs_from(corner_arrays(14), [](const Array& array, Random& random) {
    const uint32_t m = random.below(15);
    return std::vector<executor::Argument>{buffer("a", sorted_prefix(array.words, array.n)),
                                           buffer("b", sorted_prefix(shuffled(array.words), m)),
                                           output("out", 28), scalar("n", array.n), scalar("m", m)};
  });
}

void host_merge(const Launch& launch, Buffers& buffers) {
  const std::vector<int32_t> a = signed_prefix(buffers[0], scalar_at(launch, 3));
  const std::vector<int32_t> b = signed_prefix(buffers[1], scalar_at(launch, 4));
  std::merge(a.begin(), a.end(), b.begin(), b.end(), buffers[2].begin());
}

std::vector<KernelInput> nth_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 1),
                                           scalar("k", random.below(std::max(array.n, 1u))),
                                           scalar("n", array.n)};
  });
}

void host_nth(const Launch& launch, Buffers& buffers) {
  std::vector<int32_t> values = signed_prefix(buffers[0], scalar_at(launch, 3));
  if (values.empty()) return;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(scalar_at(launch, 2));
  std::nth_element(values.begin(), nth, values.end());
  buffers[1][0] = as_word(*nth);
}

std::vector<KernelInput> radix_inputs() {
  return inputs_from(corner_arrays(64), [](const Array& array, Random& random) {
    const uint32_t bits = array.name == "extremes" ? 32 : random.below(13);
    return std::vector<executor::Argument>{buffer("data", array.words), scalar("bits", bits),
                                           scalar("n", array.n)};
  });
}

void host_radix(const Launch& launch, Buffers& buffers) {
  const uint64_t modulus = uint64_t{1} << scalar_at(launch, 1);
  const uint32_t n = scalar_at(launch, 2);
  // (key, place) sorts stably by the key.
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (uint32_t i = 0; i < n; ++i) order.push_back({buffers[0][i] % modulus, i});
  std::sort(order.begin(), order.end());
  const Words before = buffers[0];
  for (uint32_t i = 0; i < n; ++i) buffers[0][i] = before[order[i].second];
}

}  // namespace

std::vector<Kernel> sorting_kernels() {
  const std::string family = "sorting";
  return {
      {"bitonic_sort",
       family,
       "bitonic network in shared memory",
       {1, 1, 1},
       {16, 1, 1},
       0,
       in_place_inputs,
       host_in_place},
      {"odd_even_sort",
       family,
       "odd-even transposition in place",
       {1, 1, 1},
       {8, 1, 1},
       0,
       in_place_inputs,
       host_in_place},
      {"rank_sort",
       family,
       "sorting by counting smaller elements",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return unary_inputs(24); },
       host_rank_sort},
      {"counting_sort",
       family,
       "stable counting sort of records",
       {1, 1, 1},
       {24, 1, 1},
       0,
       [] { return unary_inputs(24); },
       host_counting_sort},
      {"binary_search",
       family,
       "lower bounds in a sorted array",
       {2, 1, 1},
       {8, 1, 1},
       0,
       search_inputs,
       host_search},
      {"merge_sorted",
       family,
       "merging two sorted arrays by ranks",
       {1, 1, 1},
       {28, 1, 1},
       0,
       merge_inputs,
       host_merge},
      {"nth_element",
       family,
       "the k-th smallest element",
       {3, 1, 1},
       {8, 1, 1},
       0,
       nth_inputs,
       host_nth},
      {"radix_sort",
       family,
       "radix sort in dynamic shared memory",
       {1, 1, 1},
       {64, 1, 1},
       512,
       radix_inputs,
       host_radix},
  };
}

}  // namespace warplock::suites
