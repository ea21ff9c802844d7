#include <bit>
#include <cmath>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

constexpr size_t kCount = 16;

void host_gcd(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    buffers[2][i] = std::gcd(buffers[0][i], buffers[1][i]);
  }
}

std::vector<KernelInput> gcd_inputs() {
  std::vector<KernelInput> inputs = binary_inputs(kCount);
  // Neighbouring Fibonacci numbers need the most steps of Euclid's algorithm.
  Words a, b;
  for (uint32_t x = 1, y = 1; a.size() < kCount; x = x + 2 * y, y = x - y) {
    a.push_back(x);
    b.push_back(y);
  }
  inputs.push_back({"fibonacci",
                    {buffer("a", a), buffer("b", b), output("out", kCount),
                     scalar("n", static_cast<uint32_t>(kCount))}});
  return inputs;
}

std::vector<KernelInput> mod_pow_inputs() {
  return inputs_from(corner_arrays(kCount), [](const Array& array, Random& random) {
    const uint32_t moduli[] = {1, 2, 65535, 65536, 65521, 1 + random.below(65536)};
    return std::vector<executor::Argument>{
        buffer("base", array.words), buffer("exponent", shuffled(array.words)),
        output("out", kCount), scalar("modulus", moduli[random.below(6)]), scalar("n", array.n)};
  });
}

void host_mod_pow(const Launch& launch, Buffers& buffers) {
  const uint64_t modulus = scalar_at(launch, 3);
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    // From the highest bit of the exponent down; the kernel goes up.
    uint64_t result = 1 % modulus;
    for (int bit = 31; bit >= 0; --bit) {
      result = result * result % modulus;
      if (buffers[1][i] >> bit & 1) result = result * (buffers[0][i] % modulus) % modulus;
    }
    buffers[2][i] = static_cast<uint32_t>(result);
  }
}

bool has_divisor(uint32_t x) {
  for (uint32_t d = 2; uint64_t{d} * d <= x; ++d) {
    if (x % d == 0) return true;
  }
  return false;
}

std::vector<KernelInput> sieve_inputs() {
  std::vector<KernelInput> inputs;
  for (const uint32_t n : {0, 1, 2, 3, 4, 10, 25, 26, 97, 121, 128}) {
    inputs.push_back({"below-" + std::to_string(n),
                      {zeros("composite", 4), zeros("primes", 1), scalar("n", n)}});
  }
  return inputs;
}

void host_sieve(const Launch& launch, Buffers& buffers) {
  for (uint32_t m = 2; m < scalar_at(launch, 2); ++m) {
    if (has_divisor(m)) {
      buffers[0][m / 32] += 1u << m % 32;
    } else {
      ++buffers[1][0];
    }
  }
}

/// (in, out, `name`, n) over numbers below `bound`, the scalar drawn from 1 to `greatest`.
std::vector<KernelInput> with_scalar(uint32_t bound, const std::string& name, uint32_t greatest) {
  return inputs_from(small_arrays(kCount, bound), [&](const Array& array, Random& random) {
    uint32_t value = 1 + random.below(greatest);
    if (array.name == "greatest") value = greatest;
    if (array.name == "random-1") value = 1;
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", kCount),
                                           scalar(name, value), scalar("n", array.n)};
  });
}

uint32_t collatz_steps(uint64_t x, uint32_t limit) {
  if (x <= 1 || limit == 0) return 0;
  return 1 + collatz_steps(x % 2 == 0 ? x / 2 : 3 * x + 1, limit - 1);
}

void host_collatz(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 3),
            [&](uint32_t x) { return collatz_steps(x, scalar_at(launch, 2)); });
}

std::vector<KernelInput> isqrt_inputs() {
  std::vector<KernelInput> inputs = unary_inputs(kCount);
  Words around;
  for (const uint32_t root : {1u, 2u, 15u, 255u, 46341u, 65535u}) {
    for (const uint32_t off : {0xffffffffu, 0u, 1u}) around.push_back(root * root + off);
  }
  around.resize(kCount);
  inputs.push_back(
      {"around-squares",
       {buffer("in", around), output("out", kCount), scalar("n", static_cast<uint32_t>(kCount))}});
  return inputs;
}

void host_isqrt(const Launch& launch, Buffers& buffers) {
  // Exact: a 32-bit number and its root lie well inside a double's 53 bits.
  map_words(buffers, 0, 1, scalar_at(launch, 2),
            [](uint32_t x) { return static_cast<uint32_t>(std::sqrt(static_cast<double>(x))); });
}

void host_fibonacci(const Launch& launch, Buffers& buffers) {
  const uint64_t modulus = scalar_at(launch, 2);
  map_words(buffers, 0, 1, scalar_at(launch, 3), [&](uint32_t k) {
    // Up to 60 the numbers themselves fit 64 bits.
    uint64_t numbers[64] = {0, 1};
    for (uint32_t j = 2; j <= k; ++j) numbers[j] = numbers[j - 1] + numbers[j - 2];
    return static_cast<uint32_t>(numbers[k] % modulus);
  });
}

std::vector<KernelInput> prime_inputs() {
  std::vector<KernelInput> inputs;
  for (const Array& array : small_arrays(kCount, 1u << 14)) {
    inputs.push_back(
        {array.name, {buffer("in", array.words), output("out", kCount), scalar("n", array.n)}});
  }
  const Words hard{0,     1,     2,     3,     4,     9,     25,    49,
                   65521, 65535, 65536, 65537, 66049, 63001, 62615, 44521};
  inputs.push_back(
      {"squares-and-primes",
       {buffer("in", hard), output("out", kCount), scalar("n", static_cast<uint32_t>(kCount))}});
  return inputs;
}

void host_is_prime(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2),
            [](uint32_t x) { return uint32_t{x > 1 && !has_divisor(x)}; });
}

std::vector<KernelInput> extended_inputs() {
  return inputs_from(small_arrays(8, 10'000), [](const Array& array, Random& random) {
    Words b = shuffled(array.words);
    if (array.name == "random-0") b = random.words_below(8, 1u << 30);
    return std::vector<executor::Argument>{buffer("a", array.words), buffer("b", b),
                                           output("gcd", 8),         output("x", 8),
                                           output("y", 8),           scalar("n", array.n)};
  });
}

struct Bezout {
  int64_t gcd, x, y;
};

Bezout bezout(int64_t a, int64_t b) {
  if (b == 0) return {a, 1, 0};
  const Bezout inner = bezout(b, a % b);
  return {inner.gcd, inner.y, inner.x - a / b * inner.y};
}

void host_extended(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 5); ++i) {
    const Bezout result = bezout(buffers[0][i], buffers[1][i]);
    buffers[2][i] = as_word(result.gcd);
    buffers[3][i] = as_word(result.x);
    buffers[4][i] = as_word(result.y);
  }
}

std::vector<KernelInput> range_inputs() {
  std::vector<KernelInput> inputs;
  const uint32_t ranges[][2] = {{0, 0},  {0, 1},           {0xffffffff, 1}, {0, 256},
                                {7, 16}, {0x7ffffff0, 33}, {123456, 100},   {0xffffff00, 200}};
  for (const auto& range : ranges) {
    inputs.push_back({std::to_string(range[0]) + "-count-" + std::to_string(range[1]),
                      {zeros("total", 1), scalar("first", range[0]), scalar("count", range[1])}});
  }
  return inputs;
}

void host_range(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) {
    buffers[0][0] += static_cast<uint32_t>(std::popcount(scalar_at(launch, 1) + i));
  }
}

}  // namespace

std::vector<Kernel> number_kernels() {
  const std::string family = "number";
  return {
      {"gcd_euclid",
       family,
       "greatest common divisors by division",
       {2, 1, 1},
       {8, 1, 1},
       0,
       gcd_inputs,
       host_gcd},
      {"gcd_binary",
       family,
       "greatest common divisors by shifts",
       {2, 1, 1},
       {8, 1, 1},
       0,
       gcd_inputs,
       host_gcd},
      {"mod_pow",
       family,
       "modular powers by squaring",
       {2, 1, 1},
       {8, 1, 1},
       0,
       mod_pow_inputs,
       host_mod_pow},
      {"sieve",
       family,
       "sieve of Eratosthenes with atomic or",
       {1, 1, 1},
       {10, 1, 1},
       0,
       sieve_inputs,
       host_sieve},
      {"collatz",
       family,
       "steps of the Collatz map",
       {2, 1, 1},
       {8, 1, 1},
       0,
       [] { return with_scalar(100, "limit", 120); },
       host_collatz},
      {"isqrt",
       family,
       "integer square roots bit by bit",
       {2, 1, 1},
       {8, 1, 1},
       0,
       isqrt_inputs,
       host_isqrt},
      {"fibonacci_mod",
       family,
       "Fibonacci numbers of a modulus",
       {2, 1, 1},
       {8, 1, 1},
       0,
       [] { return with_scalar(61, "modulus", 1u << 31); },
       host_fibonacci},
      {"is_prime",
       family,
       "primality by trial division",
       {2, 1, 1},
       {8, 1, 1},
       0,
       prime_inputs,
       host_is_prime},
      {"extended_gcd",
       family,
       "Bezout coefficients",
       {1, 1, 1},
       {8, 1, 1},
       0,
       extended_inputs,
       host_extended},
      {"popcount_range",
       family,
       "one bits of a range of numbers",
       {2, 1, 1},
       {8, 1, 1},
       0,
       range_inputs,
       host_range},
  };
}

}  // namespace warplock::suites
