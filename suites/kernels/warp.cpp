#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

/// One block of full warps at either width.
constexpr uint32_t kThreads = 32;

/// (in, out) over `corner_arrays` and arrays with equal neighbours.
std::vector<KernelInput> warp_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : corner_arrays(kThreads)) {
    Words words = array.words;
    std::string name = array.name;
    // The number of elements is fixed here: the places of the short arrays go to others.
    if (name == "empty") {
      name = "equal-quads";
      for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i / 4);
    } else if (name == "single") {
      name = "one-differs";
      std::fill(words.begin(), words.end(), 9);
      words[13] = 8;
    } else if (name == "partial") {
      name = "random-bits";
      for (uint32_t& word : words) word &= 1;
    }
    inputs.push_back({name, {buffer("in", words), output("out", kThreads)}});
  }
  return inputs;
}

/// Calls `each(first, warp)` for every warp: its first thread and the words of its lanes.
template <typename Each>
void for_each_warp(const Launch& launch, const Words& words, Each each) {
  for (uint32_t first = 0; first < kThreads; first += launch.warp_width) {
    const auto begin = words.begin() + first;
    each(first, Words(begin, begin + launch.warp_width));
  }
}

std::vector<KernelInput> ballot_inputs() {
  std::vector<KernelInput> inputs = warp_inputs();
  for (KernelInput& input : inputs) {
    input.arguments[1].name = "below";
    input.arguments.push_back(zeros("odd", 1));
  }
  return inputs;
}

void host_ballot(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    uint32_t odd = 0;
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      buffers[1][first + lane] = odd;
      odd += warp[lane] % 2;
    }
    buffers[2][0] += odd;
  });
}

void host_shuffles(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    const size_t width = warp.size();
    for (size_t lane = 0; lane < width; ++lane) {
      // A source beyond the warp gives the lane's own value.
      const uint32_t down = warp[std::min(lane + 1, width - 1)];
      const uint32_t up = warp[lane < 2 ? lane : lane - 2];
      const uint32_t across = warp[lane % 2 == 0 ? lane + 1 : lane - 1];
      const uint32_t computed = warp[(3 * lane + 1) % width];
      buffers[1][first + lane] = ((down * 3 + up) * 5 + across) * 7 + computed;
    }
  });
}

void host_quads(const Launch&, Buffers& buffers) {
  for (size_t i = 0; i < kThreads; ++i) {
    const auto quad = buffers[0].begin() + static_cast<std::ptrdiff_t>(i / 4 * 4);
    buffers[1][i] = std::accumulate(quad, quad + 4, 0u);
  }
}

std::vector<KernelInput> broadcast_inputs() {
  std::vector<KernelInput> inputs = warp_inputs();
  const uint32_t sources[] = {0, 1, 3, 4, 31, 32, 0xffffffff, 14, 17, 2, 30};
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].arguments.push_back(scalar("source", sources[i % std::size(sources)]));
  }
  return inputs;
}

void host_broadcast(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    std::fill_n(buffers[1].begin() + first, warp.size(),
                warp[scalar_at(launch, 2) % launch.warp_width]);
  });
}

void host_diverged(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    const auto leader =
        std::find_if(warp.begin(), warp.end(), [](uint32_t word) { return word % 2 == 1; });
    std::transform(warp.begin(), warp.end(), buffers[1].begin() + first,
                   [&](uint32_t word) { return word % 2 == 1 ? *leader : word; });
  });
}

void host_match(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    for (size_t lane = 0; lane < warp.size(); ++lane) {
      uint32_t mask = 0;
      for (size_t other = warp.size(); other-- > 0;) {
        mask = 2 * mask + (warp[other] == warp[lane]);
      }
      buffers[1][first + lane] = mask;
    }
  });
}

void host_uniform(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    const auto same = static_cast<size_t>(std::count(warp.begin(), warp.end(), warp.front()));
    const uint32_t full = launch.warp_width == 4 ? 0xf : 0xffffffff;
    std::fill_n(buffers[1].begin() + first, warp.size(), same == warp.size() ? full : 0);
  });
}

std::vector<KernelInput> vote_inputs() {
  std::vector<KernelInput> inputs = warp_inputs();
  const int32_t thresholds[] = {0, -1, 1, 8, 0x7ffffffe, -2};
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].arguments.push_back(scalar("threshold", as_word(thresholds[i % 6])));
  }
  return inputs;
}

void host_vote(const Launch& launch, Buffers& buffers) {
  const int32_t threshold = as_signed(scalar_at(launch, 2));
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    const auto above = std::count_if(warp.begin(), warp.end(),
                                     [&](uint32_t word) { return as_signed(word) > threshold; });
    const bool all = above == static_cast<std::ptrdiff_t>(warp.size());
    std::fill_n(buffers[1].begin() + first, warp.size(), (above > 0) + 2 * all);
  });
}

std::vector<KernelInput> redux_inputs() {
  std::vector<KernelInput> inputs = warp_inputs();
  // Three words a warp, of which there are up to eight.
  for (KernelInput& input : inputs) input.arguments[1] = output("out", 24);
  return inputs;
}

void host_redux(const Launch& launch, Buffers& buffers) {
  auto out = buffers[1].begin();
  for_each_warp(launch, buffers[0], [&](uint32_t, const Words& warp) {
    const std::vector<int32_t> values = signed_prefix(warp, warp.size());
    *out++ = std::accumulate(warp.begin(), warp.end(), 0u);
    *out++ = as_word(*std::min_element(values.begin(), values.end()));
    *out++ = *std::max_element(warp.begin(), warp.end());
  });
}

void host_redux_bits(const Launch& launch, Buffers& buffers) {
  auto out = buffers[1].begin();
  for_each_warp(launch, buffers[0], [&](uint32_t, const Words& warp) {
    *out++ = std::accumulate(warp.begin(), warp.end(), 0xffffffffu, std::bit_and<>());
    *out++ = std::accumulate(warp.begin(), warp.end(), 0u, std::bit_or<>());
    *out++ = std::accumulate(warp.begin(), warp.end(), 0u, std::bit_xor<>());
  });
}

std::vector<KernelInput> sort_inputs() {
  std::vector<KernelInput> inputs = warp_inputs();
  for (KernelInput& input : inputs) {
    input.arguments.pop_back();
    input.arguments[0].name = "data";
  }
  return inputs;
}

void host_sort(const Launch& launch, Buffers& buffers) {
  for_each_warp(launch, buffers[0], [&](uint32_t first, const Words& warp) {
    const Words sorted = sorted_as_signed(warp);
    std::copy(sorted.begin(), sorted.end(), buffers[0].begin() + first);
  });
}

}  // namespace

std::vector<Kernel> warp_kernels() {
  const std::string family = "warp";
  const std::array<uint32_t, 3> one{1, 1, 1};
  const std::array<uint32_t, 3> block{kThreads, 1, 1};
  return {
      {"ballot_count", family, "ranks and counts by ballots", one, block, 0, ballot_inputs,
       host_ballot},
      {"shuffle_kinds", family, "the four shuffles", one, block, 0, warp_inputs, host_shuffles},
      {"quad_sum", family, "shuffles narrower than the warp", one, block, 0, warp_inputs,
       host_quads},
      {"lane_broadcast", family, "one lane's value for all", one, block, 0, broadcast_inputs,
       host_broadcast},
      {"diverged_broadcast", family, "a shuffle in a divergent branch", one, block, 0, warp_inputs,
       host_diverged},
      {"match_groups", family, "lanes that hold the same number", one, block, 0, warp_inputs,
       host_match},
      {"match_uniform", family, "warps that hold one number", one, block, 0, warp_inputs,
       host_uniform},
      {"warp_vote", family, "any and all", one, block, 0, vote_inputs, host_vote},
      {"warp_redux", family, "reductions by single instructions", one, block, 0, redux_inputs,
       host_redux},
      {"warp_redux_bits", family, "reductions of bits by single instructions", one, block, 0,
       redux_inputs, host_redux_bits},
      {"warp_sort", family, "bitonic network of shuffles", one, block, 0, sort_inputs, host_sort},
  };
}

}  // namespace warplock::suites
