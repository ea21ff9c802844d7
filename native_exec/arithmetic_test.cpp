#include <bit>
#include <functional>

#include "native_exec/test_support.h"

/// Every integer builtin against a formula that shares nothing with either header or hooks: numbers
/// are taken apart bit by bit, or computed in 128 bits.
namespace warplock::native_exec {
namespace {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

int64_t as_signed(uint32_t x) {
  return static_cast<int32_t>(x);
}
uint64_t wide(uint32_t x, uint32_t y) {
  return (uint64_t{x} << 32) | y;
}
int64_t low24(uint32_t x) {
  return as_signed(x << 8) >> 8;
}

int highest_bit(uint64_t x) {
  for (int bit = 63; bit >= 0; --bit) {
    if ((x >> bit & 1) != 0) return bit;
  }
  return -1;
}
int lowest_bit(uint64_t x) {
  for (int bit = 0; bit < 64; ++bit) {
    if ((x >> bit & 1) != 0) return bit;
  }
  return -1;
}
uint64_t reversed(uint64_t x, int bits) {
  uint64_t result = 0;
  for (int bit = 0; bit < bits; ++bit) {
    if ((x >> bit & 1) != 0) result |= uint64_t{1} << (bits - 1 - bit);
  }
  return result;
}
uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
  const uint64_t bytes = wide(y, x);
  uint32_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t choice = selector >> (4 * i) & 7;
    result += static_cast<uint32_t>(bytes >> (8 * choice)) % 256 << (8 * i);
  }
  return result;
}
uint32_t nth_set(uint32_t mask, uint32_t base, int offset) {
  std::vector<uint32_t> set;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  if (offset > 0) {
    for (uint32_t bit = base; bit < 32; ++bit) {
      if ((mask >> bit & 1) != 0) set.push_back(bit);
    }
  } else {
    for (uint32_t bit = base + 1; bit-- > 0;) {
      if ((mask >> bit & 1) != 0) set.push_back(bit);
    }
  }
  const size_t wanted = static_cast<size_t>(std::abs(offset)) - 1;
  return wanted < set.size() ? set[wanted] : ~0u;
}
/// Elements of `bits` bits of x times bytes of y, from byte `first` on.
uint32_t dot(uint32_t x, uint32_t y, uint32_t z, int bits, int first, bool is_signed) {
  int64_t sum = z;
  for (int i = 0; i < 32 / bits; ++i) {
    int64_t a = x >> (bits * i) & ((1u << bits) - 1);
    int64_t b = y >> (8 * (first + i)) & 255;
    if (is_signed && a >= 1 << (bits - 1)) a -= 1 << bits;
    if (is_signed && b >= 128) b -= 256;
    sum += a * b;
  }
  return static_cast<uint32_t>(sum);
}
uint32_t word(int64_t x) {
  return static_cast<uint32_t>(x);
}

using Formula = std::function<uint32_t(uint32_t x, uint32_t y, uint32_t z)>;

/// In the order of testdata/arithmetic.cu.
const std::vector<std::pair<const char*, Formula>>& formulas() {
  static const std::vector<std::pair<const char*, Formula>> all = {
      {"popc", [](auto x, auto, auto) { return word(std::popcount(x)); }},
      {"popcll", [](auto x, auto y, auto) { return word(std::popcount(wide(x, y))); }},
      {"clz", [](auto x, auto, auto) { return word(31 - highest_bit(x)); }},
      {"clzll", [](auto x, auto y, auto) { return word(63 - highest_bit(wide(x, y))); }},
      {"ffs", [](auto x, auto, auto) { return word(lowest_bit(x) + 1); }},
      {"ffsll", [](auto x, auto y, auto) { return word(lowest_bit(wide(x, y)) + 1); }},
      {"brev", [](auto x, auto, auto) { return word(static_cast<int64_t>(reversed(x, 32))); }},
      {"brevll",
       [](auto x, auto y, auto) { return static_cast<uint32_t>(reversed(wide(x, y), 64) >> 32); }},
      {"byte_perm", permuted},
      {"fns",
       [](auto x, auto y, auto z) { return nth_set(x, y % 32, static_cast<int>(z % 9) - 4); }},
      {"funnelshift_l",
       [](auto x, auto y, auto z) { return static_cast<uint32_t>(wide(y, x) << (z % 32) >> 32); }},
      {"funnelshift_r",
       [](auto x, auto y, auto z) { return static_cast<uint32_t>(wide(y, x) >> (z % 32)); }},
      {"funnelshift_lc",
       [](auto x, auto y, auto z) {
         return static_cast<uint32_t>(uint128{wide(y, x)} << std::min(z, 32u) >> 32);
       }},
      {"funnelshift_rc",
       [](auto x, auto y, auto z) {
         return static_cast<uint32_t>(uint128{wide(y, x)} >> std::min(z, 32u));
       }},
      {"mulhi", [](auto x, auto y, auto) { return word(as_signed(x) * as_signed(y) >> 32); }},
      {"umulhi",
       [](auto x, auto y, auto) { return word(static_cast<int64_t>(uint64_t{x} * y >> 32)); }},
      {"mul64hi",
       [](auto x, auto y, auto z) {
         const int128 product = int128{static_cast<int64_t>(wide(x, y))} * as_signed(z);
         return word(static_cast<int64_t>(product >> 64) >> 7);
       }},
      {"umul64hi",
       [](auto x, auto y, auto z) {
         const uint128 product = uint128{wide(x, y)} * wide(z, x);
         return static_cast<uint32_t>(static_cast<uint64_t>(product >> 64) >> 7);
       }},
      {"mul24", [](auto x, auto y, auto) { return word(low24(x) * low24(y)); }},
      {"umul24",
       [](auto x, auto y, auto) { return word(int64_t{x % (1 << 24)} * (y % (1 << 24))); }},
      {"sad",
       [](auto x, auto y, auto z) { return word(z + std::abs(as_signed(x) - as_signed(y))); }},
      {"usad", [](auto x, auto y, auto z) { return word(z + std::abs(int64_t{x} - y)); }},
      {"hadd", [](auto x, auto y, auto) { return word((as_signed(x) + as_signed(y)) >> 1); }},
      {"rhadd", [](auto x, auto y, auto) { return word((as_signed(x) + as_signed(y) + 1) >> 1); }},
      {"uhadd", [](auto x, auto y, auto) { return word((int64_t{x} + y) / 2); }},
      {"urhadd", [](auto x, auto y, auto) { return word((int64_t{x} + y + 1) / 2); }},
      {"dp4a.s", [](auto x, auto y, auto z) { return dot(x, y, z, 8, 0, true); }},
      {"dp4a.u", [](auto x, auto y, auto z) { return dot(x, y, z, 8, 0, false); }},
      {"dp2a.lo.s", [](auto x, auto y, auto z) { return dot(x, y, z, 16, 0, true); }},
      {"dp2a.lo.u", [](auto x, auto y, auto z) { return dot(x, y, z, 16, 0, false); }},
      {"dp2a.hi.s", [](auto x, auto y, auto z) { return dot(x, y, z, 16, 2, true); }},
      {"dp2a.hi.u", [](auto x, auto y, auto z) { return dot(x, y, z, 16, 2, false); }},
      {"min.s", [](auto x, auto y, auto) { return word(std::min(as_signed(x), as_signed(y))); }},
      {"max.s", [](auto x, auto y, auto) { return word(std::max(as_signed(x), as_signed(y))); }},
      {"min.u", [](auto x, auto y, auto) { return std::min(x, y); }},
      {"max.u", [](auto x, auto y, auto) { return std::max(x, y); }},
      {"min of mixed signs", [](auto x, auto y, auto) { return std::min(x, y); }},
      {"abs", [](auto x, auto, auto) { return word(std::abs(as_signed(x))); }},
      {"llabs",
       [](auto x, auto y, auto) {
         const uint64_t value = wide(x, y);
         return static_cast<uint32_t>((x >= 0x80000000 ? 0 - value : value) >> 32);
       }},
      {"ldg", [](auto x, auto y, auto) { return x + y; }},
      {"div.s", [](auto x, auto y, auto) { return word(as_signed(x) / as_signed(y | 1)); }},
      {"rem.s", [](auto x, auto y, auto) { return word(as_signed(x) % as_signed(y | 1)); }},
      {"div.u", [](auto x, auto y, auto) { return x / (y | 1); }},
      {"rem.u", [](auto x, auto y, auto) { return x % (y | 1); }},
      {"div.u64",
       [](auto x, auto y, auto z) { return static_cast<uint32_t>(wide(x, y) / (z | 1)); }},
      {"rem.s64",
       [](auto x, auto y, auto z) {
         return word(
             static_cast<int64_t>(int128{static_cast<int64_t>(wide(x, y))} % as_signed(z | 1)));
       }},
  };
  return all;
}

TEST(Arithmetic, EveryBuiltinEqualsItsFormula) {
  constexpr uint32_t kThreads = 1024;
  for (const uint32_t seed : {1u, 2u, 3u, 4u}) {
    const auto a = test_words(kThreads, 3 * seed), b = test_words(kThreads, 3 * seed + 1),
               c = test_words(kThreads, 3 * seed + 2);
    const auto out = KernelRun("arithmetic", "arithmetic")
                         .threads(kThreads)
                         .buffer(a)
                         .buffer(b)
                         .buffer(c)
                         .buffer(std::vector<uint32_t>(kThreads * formulas().size()))
                         .output(3);
    ASSERT_EQ(out.size(), kThreads * formulas().size());
    for (size_t k = 0; k < formulas().size(); ++k) {
      for (uint32_t i = 0; i < kThreads; ++i) {
        ASSERT_EQ(out[k * kThreads + i], formulas()[k].second(a[i], b[i], c[i]))
            << formulas()[k].first << " of " << a[i] << ", " << b[i] << ", " << c[i];
      }
    }
  }
}

}  // namespace
}  // namespace warplock::native_exec
