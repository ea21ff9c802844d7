#include <algorithm>
#include <array>
#include <bit>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

constexpr size_t kMessages = 8;

/// (in, out, words, n): messages of three words, and once of none.
std::vector<KernelInput> message_inputs() {
  std::vector<KernelInput> inputs = inputs_from(corner_arrays(3 * kMessages), [](const Array& array,
                                                                                 Random& random) {
    return std::vector<executor::Argument>{
        buffer("in", array.words), output("out", kMessages), scalar("words", 1 + random.below(3)),
        scalar("n", std::min(array.n, static_cast<uint32_t>(kMessages)))};
  });
  inputs.push_back({"no-words",
                    {zeros("in", 3 * kMessages), output("out", kMessages), scalar("words", 0),
                     scalar("n", static_cast<uint32_t>(kMessages))}});
  return inputs;
}

/// Puts `hash(bytes)` of each message into the output.
template <typename Hash>
void hash_messages(const Launch& launch, Buffers& buffers, Hash hash) {
  const uint32_t words = scalar_at(launch, 2);
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    std::vector<uint8_t> bytes;
    for (uint32_t w = 0; w < words; ++w) {
      const uint32_t word = buffers[0][i * words + w];
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(word >> shift & 255);
    }
    buffers[1][i] = hash(bytes);
  }
}

void host_crc32(const Launch& launch, Buffers& buffers) {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t entry = byte;
    for (int bit = 0; bit < 8; ++bit) entry = entry >> 1 ^ (entry % 2) * 0xedb88320u;
    table[byte] = entry;
  }
  hash_messages(launch, buffers, [&](const std::vector<uint8_t>& bytes) {
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes) crc = crc >> 8 ^ table[(crc ^ byte) & 255];
    return crc ^ 0xffffffff;
  });
}

void host_adler32(const Launch& launch, Buffers& buffers) {
  hash_messages(launch, buffers, [](const std::vector<uint8_t>& bytes) {
    uint64_t a = 1, b = 0;
    for (const uint8_t byte : bytes) b += a += byte;
    return static_cast<uint32_t>(b % 65521 * 65536 + a % 65521);
  });
}

void host_fnv1a(const Launch& launch, Buffers& buffers) {
  hash_messages(launch, buffers, [](const std::vector<uint8_t>& bytes) {
    uint64_t hash = 0x811c9dc5;
    for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x01000193 % 0x100000000;
    return static_cast<uint32_t>(hash);
  });
}

std::vector<KernelInput> word_inputs() {
  return unary_inputs(24);
}

void host_murmur(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2), [](uint32_t x) {
    const uint64_t factors[] = {0x85ebca6b, 0xc2b2ae35, 1};
    const int shifts[] = {16, 13, 16};
    for (int round = 0; round < 3; ++round) {
      x = static_cast<uint32_t>((x ^ x >> shifts[round]) * factors[round]);
    }
    return x;
  });
}

std::vector<KernelInput> xorshift_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("state", array.words),
                                           scalar("steps", random.below(20)), scalar("n", array.n)};
  });
}

void host_xorshift(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 0, scalar_at(launch, 2), [&](uint32_t x) {
    for (uint32_t step = 0; step < scalar_at(launch, 1); ++step) {
      x = static_cast<uint32_t>(x ^ uint64_t{x} * 0x2000);
      x = x ^ x / 0x20000;
      x = static_cast<uint32_t>(x ^ uint64_t{x} * 0x20);
    }
    return x;
  });
}

void host_population(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2),
            [](uint32_t x) { return static_cast<uint32_t>(std::popcount(x)); });
}

/// (in, `first`, `second`, n) over `corner_arrays`.
std::vector<KernelInput> two_output_inputs(const std::string& first, const std::string& second) {
  return inputs_from(corner_arrays(24), [&](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output(first, 24),
                                           output(second, 24), scalar("n", array.n)};
  });
}

void host_bit_reverse(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    const uint32_t x = buffers[0][i];
    uint32_t reversed = 0;
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if (x & 1u << bit) reversed += 0x80000000u >> bit;
    }
    buffers[1][i] = reversed;
    buffers[2][i] = static_cast<uint32_t>(std::countl_zero(x) * 256 + std::countr_zero(x));
  }
}

void host_gray_code(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    const uint32_t x = buffers[0][i];
    uint32_t code = 0, decoded = 0;
    for (int bit = 31; bit >= 0; --bit) {
      const uint32_t here = x >> bit & 1, above = bit == 31 ? 0 : x >> (bit + 1) & 1;
      code = 2 * code + (here != above);
      decoded = 2 * decoded + ((decoded & 1) != here);
    }
    buffers[1][i] = code;
    buffers[2][i] = decoded;
  }
}

void host_parity(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2),
            [](uint32_t x) { return static_cast<uint32_t>(std::popcount(x) % 2); });
}

void host_byte_swap(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2), [](uint32_t x) {
    uint32_t swapped = 0;
    for (int byte = 0; byte < 4; ++byte, x /= 256) swapped = swapped * 256 + x % 256;
    return swapped;
  });
}

std::vector<KernelInput> rotate_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    Words amount(array.words.size());
    for (size_t i = 0; i < amount.size(); ++i) amount[i] = static_cast<uint32_t>(i * 3 / 2);
    if (array.name == "random-full") amount = random.words(amount.size());
    return std::vector<executor::Argument>{buffer("in", array.words), buffer("amount", amount),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

void host_rotate(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    buffers[2][i] = std::rotl(buffers[0][i], static_cast<int>(buffers[1][i] % 32));
  }
}

}  // namespace

std::vector<Kernel> bits_kernels() {
  const std::string family = "bits";
  return {
      {"crc32", family, "CRC-32 of messages", {2, 1, 1}, {4, 1, 1}, 0, message_inputs, host_crc32},
      {"adler32",
       family,
       "Adler-32 of messages",
       {2, 1, 1},
       {4, 1, 1},
       0,
       message_inputs,
       host_adler32},
      {"fnv1a",
       family,
       "FNV-1a hashes of messages",
       {2, 1, 1},
       {4, 1, 1},
       0,
       message_inputs,
       host_fnv1a},
      {"murmur_mix",
       family,
       "final mix of MurmurHash3",
       {3, 1, 1},
       {8, 1, 1},
       0,
       word_inputs,
       host_murmur},
      {"xorshift",
       family,
       "xorshift generators",
       {3, 1, 1},
       {8, 1, 1},
       0,
       xorshift_inputs,
       host_xorshift},
      {"population_count",
       family,
       "one bits of words",
       {3, 1, 1},
       {8, 1, 1},
       0,
       word_inputs,
       host_population},
      {"bit_reverse",
       family,
       "bits reversed, zeros at both ends",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return two_output_inputs("reversed", "zeros"); },
       host_bit_reverse},
      {"gray_code",
       family,
       "Gray codes both ways",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return two_output_inputs("code", "decoded"); },
       host_gray_code},
      {"parity", family, "parity by folding", {3, 1, 1}, {8, 1, 1}, 0, word_inputs, host_parity},
      {"byte_swap",
       family,
       "endianness by byte permutation",
       {3, 1, 1},
       {8, 1, 1},
       0,
       word_inputs,
       host_byte_swap},
      {"rotate_bits",
       family,
       "rotations by funnel shift",
       {3, 1, 1},
       {8, 1, 1},
       0,
       rotate_inputs,
       host_rotate},
  };
}

}  // namespace warplock::suites
