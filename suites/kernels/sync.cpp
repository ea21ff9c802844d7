#include <algorithm>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> ping_pong_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : corner_arrays(16)) {
    const auto steps = static_cast<uint32_t>(inputs.size() * 3 % 20);
    inputs.push_back(
        {array.name, {buffer("in", array.words), output("out", 16), scalar("steps", steps)}});
  }
  return inputs;
}

void host_ping_pong(const Launch& launch, Buffers& buffers) {
  buffers[1] = buffers[0];
  for (uint32_t step = 0; step < scalar_at(launch, 2); ++step) {
    std::rotate(buffers[1].begin(), buffers[1].begin() + 1, buffers[1].end());
    for (uint32_t t = 0; t < 16; ++t) buffers[1][t] += t;
  }
}

std::vector<KernelInput> spin_lock_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("in", array.words), zeros("lock", 1),
                                           buffer("counters", random.words_below(2, 9)),
                                           scalar("n", array.n)};
  });
}

void host_spin_lock(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 3);
  for (uint32_t i = 0; i < n; ++i) buffers[2][1] += buffers[0][i];
  buffers[2][0] += n;
}

std::vector<KernelInput> ticket_lock_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), zeros("lock", 2),
                                           buffer("guarded", {0, 0x80000000}),
                                           scalar("n", array.n)};
  });
}

void host_ticket_lock(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 3);
  for (const int32_t value : signed_prefix(buffers[0], n)) {
    buffers[2][0] ^= as_word(value);
    if (value > as_signed(buffers[2][1])) buffers[2][1] = as_word(value);
  }
  buffers[1] = {n, n};
}

std::vector<KernelInput> histogram_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{
        buffer("in", array.words), buffer("bins", random.words_below(8, 3)), scalar("n", array.n)};
  });
}

void host_histogram(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) ++buffers[1][buffers[0][i] % 8];
}

std::vector<KernelInput> producer_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : corner_arrays(32)) {
    const auto rounds = static_cast<uint32_t>(inputs.size() % 6);
    inputs.push_back(
        {array.name, {buffer("in", array.words), output("out", 32), scalar("rounds", rounds)}});
  }
  return inputs;
}

void host_producer(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t sum = 0;
    for (uint32_t round = 1; round <= scalar_at(launch, 2); ++round) {
      sum = sum * 31 + buffers[0][i] * round;
    }
    buffers[1][i] = sum;
  }
}

std::vector<KernelInput> double_buffer_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : corner_arrays(40)) {
    const auto tiles = static_cast<uint32_t>(inputs.size() % 6);
    inputs.push_back(
        {array.name, {buffer("in", array.words), output("out", 40), scalar("tiles", tiles)}});
  }
  return inputs;
}

void host_double_buffer(const Launch& launch, Buffers& buffers) {
  const auto end = static_cast<std::ptrdiff_t>(8 * scalar_at(launch, 2));
  for (std::ptrdiff_t tile = 0; tile < end; tile += 8) {
    std::reverse_copy(buffers[0].begin() + tile, buffers[0].begin() + tile + 8,
                      buffers[1].begin() + tile);
  }
}

std::vector<KernelInput> last_block_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("partial", 3),
                                           zeros("finished", 1), output("total", 1),
                                           scalar("n", array.n)};
  });
}

void host_last_block(const Launch& launch, Buffers& buffers) {
  buffers[1] = {0, 0, 0};
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    buffers[1][i / launch.block[0]] += buffers[0][i];
  }
  buffers[3][0] = buffers[1][0] + buffers[1][1] + buffers[1][2];
}

std::vector<KernelInput> saturating_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random& random) {
    const uint32_t limits[] = {0, 20, 0x7fffffff, 0xffffffff};
    const uint32_t limit = limits[random.below(4)];
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           buffer("total", {std::min(limit, 5u)}),
                                           scalar("limit", limit), scalar("n", array.n)};
  });
}

void host_saturating(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 3);
  const uint64_t sum =
      std::accumulate(buffers[0].begin(), buffers[0].begin() + n, uint64_t{buffers[1][0]});
  buffers[1][0] = static_cast<uint32_t>(std::min<uint64_t>(sum, scalar_at(launch, 2)));
}

std::vector<KernelInput> reverse_inputs() {
  return inputs_from(corner_arrays(32), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 32)};
  });
}

void host_reverse(const Launch& launch, Buffers& buffers) {
  for (uint32_t first = 0; first < 32; first += launch.warp_width) {
    for (uint32_t lane = 0; lane < launch.warp_width; ++lane) {
      buffers[1][first + lane] = buffers[0][first + launch.warp_width - 1 - lane];
    }
  }
}

std::vector<KernelInput> ring_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    const uint32_t tops[] = {0, 1, 4, 1000, 0xffffffff};
    const uint32_t top = tops[random.below(5)];
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           buffer("counters", {random.below(6), random.below(6)}),
                                           scalar("top", top), scalar("n", array.n)};
  });
}

void host_ring(const Launch& launch, Buffers& buffers) {
  const uint32_t top = scalar_at(launch, 2);
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    uint32_t& up = buffers[1][0];
    uint32_t& down = buffers[1][1];
    if (buffers[0][i] % 2 == 1) {
      up = up >= top ? 0 : up + 1;
    } else {
      down = down == 0 || down > top ? top : down - 1;
    }
  }
}

std::vector<KernelInput> byte_inputs() {
  return inputs_from(corner_arrays(300), [](const Array& array, Random& random) {
    // Up to the last word's last byte, and not always so far.
    const uint32_t bytes = array.n < 2 ? array.n : 4 * array.n - random.below(4);
    return std::vector<executor::Argument>{buffer("in", array.words), zeros("bins", 256),
                                           scalar("n", bytes)};
  });
}

void host_bytes(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) {
    ++buffers[1][buffers[0][i / 4] >> i % 4 * 8 & 255];
  }
}

}  // namespace

std::vector<Kernel> sync_kernels() {
  const std::string family = "sync";
  return {
      {"barrier_ping_pong",
       family,
       "two buffers and one barrier a step",
       {1, 1, 1},
       {16, 1, 1},
       0,
       ping_pong_inputs,
       host_ping_pong},
      {"spin_lock",
       family,
       "lock by compare-and-swap",
       {2, 1, 1},
       {8, 1, 1},
       0,
       spin_lock_inputs,
       host_spin_lock,
       true},
      {"ticket_lock",
       family,
       "fair lock by tickets",
       {2, 1, 1},
       {8, 1, 1},
       0,
       ticket_lock_inputs,
       host_ticket_lock,
       true},
      {"histogram",
       family,
       "histogram in shared, then global memory",
       {3, 1, 1},
       {8, 1, 1},
       0,
       histogram_inputs,
       host_histogram},
      {"producer_consumer",
       family,
       "slots with flags between warps",
       {1, 1, 1},
       {64, 1, 1},
       0,
       producer_inputs,
       host_producer},
      {"double_buffer",
       family,
       "tiles fetched ahead",
       {1, 1, 1},
       {8, 1, 1},
       0,
       double_buffer_inputs,
       host_double_buffer},
      {"last_block",
       family,
       "sum by the block that finishes last",
       {3, 1, 1},
       {8, 1, 1},
       0,
       last_block_inputs,
       host_last_block,
       true},
      {"cas_saturating_add",
       family,
       "saturating sum by compare-and-swap",
       {2, 1, 1},
       {8, 1, 1},
       0,
       saturating_inputs,
       host_saturating,
       true},
      {"syncwarp_reverse",
       family,
       "shared memory behind a warp barrier",
       {1, 1, 1},
       {32, 1, 1},
       0,
       reverse_inputs,
       host_reverse},
      {"ring_counters",
       family,
       "atomics that wrap around",
       {3, 1, 1},
       {8, 1, 1},
       0,
       ring_inputs,
       host_ring},
      {"histogram_bytes",
       family,
       "histogram of bytes with a grid-stride loop",
       {2, 1, 1},
       {128, 1, 1},
       0,
       byte_inputs,
       host_bytes},
  };
}

}  // namespace warplock::suites
