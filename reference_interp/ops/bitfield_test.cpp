#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"

/// Bit fields, against the loops over single bits of the ISA's own definitions.
namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
using Row = std::vector<uint64_t>;

uint64_t bit(uint64_t value, uint64_t index) {
  return value >> index & 1;
}

void check(const std::string& text, int result_bits, std::vector<int> source_bits,
           std::function<uint64_t(const Row&)> formula) {
  OpTest test;
  test.text = text;
  test.result_bits = result_bits;
  test.source_bits = std::move(source_bits);
  test.formula = std::move(formula);
  check_op(test);
}

TEST(BitField, PopcClzBrev) {
  for (int bits : {32, 64}) {
    check(fmt::format("popc.b{} {{d}}, {{a}};", bits), 32, {bits}, [bits](const Row& r) {
      uint64_t count = 0;
      for (int i = 0; i < bits; ++i) count += bit(r[0], static_cast<uint64_t>(i));
      return count;
    });
    check(fmt::format("clz.b{} {{d}}, {{a}};", bits), 32, {bits}, [bits](const Row& r) {
      uint64_t count = 0;
      for (int i = bits - 1; i >= 0 && bit(r[0], static_cast<uint64_t>(i)) == 0; --i) ++count;
      return count;
    });
    check(fmt::format("brev.b{} {{d}}, {{a}};", bits), bits, {bits}, [bits](const Row& r) {
      uint64_t reversed = 0;
      for (int i = 0; i < bits; ++i) {
        reversed |= bit(r[0], static_cast<uint64_t>(i)) << (bits - 1 - i);
      }
      return reversed;
    });
  }
}

TEST(BitField, Bfind) {
  for (int bits : {32, 64}) {
    for (bool is_signed : {false, true}) {
      for (bool shift : {false, true}) {
        const std::string text = fmt::format("bfind{}.{}{} {{d}}, {{a}};", shift ? ".shiftamt" : "",
                                             is_signed ? "s" : "u", bits);
        check(text, 32, {bits}, [=](const Row& r) -> uint64_t {
          const uint64_t top = static_cast<uint64_t>(bits) - 1;
          const uint64_t fill = is_signed ? bit(r[0], top) : 0;
          for (int64_t i = bits - 1; i >= 0; --i) {
            const uint64_t at = static_cast<uint64_t>(i);
            if (bit(r[0], at) != fill) return shift ? top - at : at;
          }
          return 0xffffffff;
        });
      }
    }
  }
}

TEST(BitField, Bfe) {
  for (int bits : {32, 64}) {
    for (bool is_signed : {false, true}) {
      check(fmt::format("bfe.{}{} {{d}}, {{a}}, {{b}}, {{c}};", is_signed ? "s" : "u", bits), bits,
            {bits, 32, 32}, [=](const Row& r) {
              const uint64_t msb = static_cast<uint64_t>(bits) - 1;
              const uint64_t pos = r[1] & 0xff, len = r[2] & 0xff;
              const uint64_t sbit =
                  !is_signed || len == 0 ? 0 : bit(r[0], std::min(pos + len - 1, msb));
              uint64_t d = 0;
              for (uint64_t i = 0; i <= msb; ++i) {
                d |= (i < len && pos + i <= msb ? bit(r[0], pos + i) : sbit) << i;
              }
              return d;
            });
    }
  }
}

TEST(BitField, Bfi) {
  for (int bits : {32, 64}) {
    check(fmt::format("bfi.b{} {{d}}, {{a}}, {{b}}, {{c}}, {{e}};", bits), bits,
          {bits, bits, 32, 32}, [=](const Row& r) {
            const uint64_t msb = static_cast<uint64_t>(bits) - 1;
            const uint64_t pos = r[2] & 0xff, len = r[3] & 0xff;
            uint64_t f = r[1];
            for (uint64_t i = 0; i < len && pos + i <= msb; ++i) {
              f = (f & ~(uint64_t{1} << (pos + i))) | bit(r[0], i) << (pos + i);
            }
            return f;
          });
  }
}

TEST(BitField, SzextBmsk) {
  for (bool clamp : {false, true}) {
    const char* mode = clamp ? "clamp" : "wrap";
    for (bool is_signed : {false, true}) {
      check(fmt::format("szext.{}.{}32 {{d}}, {{a}}, {{b}};", mode, is_signed ? "s" : "u"), 32,
            {32, 32}, [=](const Row& r) {
              const uint64_t b1 = r[1] & 31;
              const bool too_large = r[1] >= 32 && clamp;
              const uint64_t mask = too_large ? 0 : (0xffffffffULL << b1) & 0xffffffff;
              const uint64_t sign_pos = (b1 - 1) & 31;
              const bool sign = b1 != 0 && !too_large && is_signed && bit(r[0], sign_pos) != 0;
              return (r[0] & ~mask) | (sign ? mask : 0);
            });
    }
    check(fmt::format("bmsk.{}.b32 {{d}}, {{a}}, {{b}};", mode), 32, {32, 32}, [=](const Row& r) {
      const uint64_t a1 = r[0] & 31, b1 = r[1] & 31, sum = a1 + b1;
      uint64_t mask0 = (0xffffffffULL << a1) & 0xffffffff;
      uint64_t mask1 = (0xffffffffULL << sum) & 0xffffffff;
      const bool position_overflow = clamp && r[0] >= 32;
      const bool width_overflow = clamp && r[1] >= 32;
      if (position_overflow) mask0 = 0;
      if (sum >= 32 || position_overflow || width_overflow) {
        mask1 = 0;
      } else if (b1 == 0) {
        mask1 = 0xffffffff;
      }
      return mask0 & ~mask1;
    });
  }
}

TEST(BitField, Fns) {
  check("fns.b32 {d}, {a}, {b}, {c};", 32, {32, 32, 32}, [](const Row& r) -> uint64_t {
    const int64_t offset = static_cast<int32_t>(r[2]);
    if (r[1] > 31) return 0xffffffff;  // PTX leaves a base past the mask open; none is found
    if (offset == 0) return bit(r[0], r[1]) != 0 ? r[1] : 0xffffffff;
    int64_t pos = static_cast<int64_t>(r[1]);
    int64_t count = (offset < 0 ? -offset : offset) - 1;
    for (; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
      if (bit(r[0], static_cast<uint64_t>(pos)) == 0) continue;
      if (count == 0) return static_cast<uint64_t>(pos);
      --count;
    }
    return 0xffffffff;
  });
}

}  // namespace
}  // namespace warplock::reference_interp
