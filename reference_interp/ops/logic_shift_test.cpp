#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"

namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
using Row = std::vector<uint64_t>;

void check(const std::string& text, int result_bits, std::vector<int> source_bits,
           std::function<uint64_t(const Row&)> formula) {
  OpTest test;
  test.text = text;
  test.result_bits = result_bits;
  test.source_bits = std::move(source_bits);
  test.formula = std::move(formula);
  check_op(test);
}

TEST(Logic, AllTypes) {
  for (int bits : {1, 16, 32, 64}) {
    const std::string type = bits == 1 ? "pred" : fmt::format("b{}", bits);
    check("and." + type + " {d}, {a}, {b};", bits, {bits, bits},
          [](const Row& r) { return r[0] & r[1]; });
    check("or." + type + " {d}, {a}, {b};", bits, {bits, bits},
          [](const Row& r) { return r[0] | r[1]; });
    check("xor." + type + " {d}, {a}, {b};", bits, {bits, bits},
          [](const Row& r) { return r[0] ^ r[1]; });
    check("not." + type + " {d}, {a};", bits, {bits}, [](const Row& r) { return ~r[0]; });
    if (bits == 1) continue;
    check("cnot." + type + " {d}, {a};", bits, {bits},
          [](const Row& r) { return uint64_t{r[0] == 0}; });
  }
  check("and.pred {d}, !{a}, {b};", 1, {1, 1}, [](const Row& r) { return ~r[0] & r[1]; });
}

TEST(Logic, Lop3EveryTable) {
  for (unsigned table = 0; table < 256; table += 1 + table % 3) {
    check(fmt::format("lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {};", table), 32, {32, 32, 32},
          [table](const Row& r) {
            uint64_t d = 0;
            for (int i = 0; i < 32; ++i) {
              const unsigned entry = static_cast<unsigned>((r[0] >> i & 1) << 2 |
                                                           (r[1] >> i & 1) << 1 | (r[2] >> i & 1));
              d |= uint64_t{table >> entry & 1} << i;
            }
            return d;
          });
  }
}

TEST(Shift, ShlShr) {
  for (uint64_t bits : {16, 32, 64}) {
    const int b = static_cast<int>(bits);
    check(fmt::format("shl.b{} {{d}}, {{a}}, {{b}};", bits), b, {b, 32},
          [bits](const Row& r) { return r[1] >= bits ? 0 : r[0] << r[1]; });
    for (const char* type : {"b", "u"}) {
      check(fmt::format("shr.{}{} {{d}}, {{a}}, {{b}};", type, bits), b, {b, 32},
            [bits](const Row& r) { return r[1] >= bits ? 0 : r[0] >> r[1]; });
    }
    check(fmt::format("shr.s{} {{d}}, {{a}}, {{b}};", bits), b, {b, 32}, [bits](const Row& r) {
      uint64_t value = r[0];
      for (uint64_t i = 0; i < r[1] && i < bits; ++i) {
        value = value >> 1 | (value & uint64_t{1} << (bits - 1));
      }
      return value;
    });
  }
}

TEST(Shift, Funnel) {
  for (bool clamp : {false, true}) {
    const char* mode = clamp ? "clamp" : "wrap";
    const auto amount = [clamp](uint64_t c) { return clamp ? (c < 32 ? c : 32) : c & 31; };
    check(fmt::format("shf.l.{}.b32 {{d}}, {{a}}, {{b}}, {{c}};", mode), 32, {32, 32, 32},
          [amount](const Row& r) {
            const uint64_t n = amount(r[2]);
            return n == 0 ? r[1] : r[1] << n | r[0] >> (32 - n);
          });
    check(fmt::format("shf.r.{}.b32 {{d}}, {{a}}, {{b}}, {{c}};", mode), 32, {32, 32, 32},
          [amount](const Row& r) {
            const uint64_t n = amount(r[2]);
            return n == 0 ? r[0] : r[1] << (32 - n) | r[0] >> n;
          });
  }
}

/// The tables of PTX ISA 9.7.9.7: which byte goes to b3, b2, b1, b0 for selectors 0 to 3.
struct Mode {
  const char* name;
  int bytes[4][4];
};
constexpr Mode kModes[] = {{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
                           {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
                           {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
                           {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
                           {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
                           {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};

TEST(Prmt, EveryMode) {
  for (const Mode& mode : kModes) {
    check(fmt::format("prmt.b32.{} {{d}}, {{a}}, {{b}}, {{c}};", mode.name), 32, {32, 32, 32},
          [&mode](const Row& r) {
            const uint64_t both = r[1] << 32 | r[0];
            uint64_t d = 0;
            for (int index : mode.bytes[r[2] & 3]) d = d << 8 | (both >> (8 * index) & 0xff);
            return d;
          });
  }
  check("prmt.b32 {d}, {a}, {b}, {c};", 32, {32, 32, 32}, [](const Row& r) {
    const uint64_t both = r[1] << 32 | r[0];
    uint64_t d = 0;
    for (int i = 0; i < 4; ++i) {
      const uint64_t selector = r[2] >> (4 * i) & 15;
      uint64_t byte = both >> (8 * (selector & 7)) & 0xff;
      if (selector >= 8) byte = byte >= 0x80 ? 0xff : 0;
      d |= byte << (8 * i);
    }
    return d;
  });
}

}  // namespace
}  // namespace warplock::reference_interp
