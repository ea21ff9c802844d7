#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"

/// Integer arithmetic, against formulas in 128-bit integers: nothing there wraps by itself.
namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
__extension__ typedef __int128 Big;
using Row = std::vector<uint64_t>;

struct IntType {
  const char* name;
  int bits;
  bool is_signed;
};
constexpr IntType kTypes[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                              {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

/// The operand as a number of that type.
Big number(uint64_t bits, const IntType& type) {
  const Big value = static_cast<Big>(bits);
  const bool negative = type.is_signed && (bits >> (type.bits - 1) & 1) != 0;
  return negative ? value - (static_cast<Big>(1) << type.bits) : value;
}

uint64_t low(Big value) {
  return static_cast<uint64_t>(value);
}

/// Bits `from` and up of a product, exact even where 128 bits are all needed: the caller cuts them.
uint64_t window(Big value, int from) {
  return static_cast<uint64_t>(value >> from);
}

Big clamp32(Big value) {
  const Big most = 0x7fffffff;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

template <class F>
void check(const std::string& text, const IntType& type, int sources, F formula) {
  OpTest test;
  test.text = text;
  test.result_bits = type.bits;
  test.source_bits.assign(static_cast<size_t>(sources), type.bits);
  test.formula = [&](const Row& row) {
    Big v[3] = {};
    for (size_t k = 0; k < row.size(); ++k) v[k] = number(row[k], type);
    return formula(v[0], v[1], v[2]);
  };
  check_op(test);
}

class Arithmetic : public ::testing::TestWithParam<IntType> {
 protected:
  std::string op(const char* mnemonic, int sources) const {
    const char* operands[] = {"", " {d}, {a};", " {d}, {a}, {b};", " {d}, {a}, {b}, {c};"};
    return std::string(mnemonic) + "." + GetParam().name + operands[sources];
  }
};

TEST_P(Arithmetic, AddSub) {
  check(op("add", 2), GetParam(), 2, [](Big a, Big b, Big) { return low(a + b); });
  check(op("sub", 2), GetParam(), 2, [](Big a, Big b, Big) { return low(a - b); });
}

TEST_P(Arithmetic, MulAndMad) {
  const IntType type = GetParam();
  check(op("mul.lo", 2), type, 2, [](Big a, Big b, Big) { return low(a) * low(b); });
  check(op("mad.lo", 3), type, 3, [](Big a, Big b, Big c) { return low(a) * low(b) + low(c); });
  // The product of two unsigned 64-bit numbers fits 128 bits, taken as unsigned.
  const auto high = [type](Big a, Big b) {
    __extension__ typedef unsigned __int128 UnsignedBig;
    if (type.is_signed) return window(a * b, type.bits);
    const UnsignedBig product = static_cast<UnsignedBig>(a) * static_cast<UnsignedBig>(b);
    return static_cast<uint64_t>(product >> type.bits);
  };
  check(op("mul.hi", 2), type, 2, [&](Big a, Big b, Big) { return high(a, b); });
  check(op("mad.hi", 3), type, 3, [&](Big a, Big b, Big c) { return high(a, b) + low(c); });
}

TEST_P(Arithmetic, Wide) {
  const IntType type = GetParam();
  if (type.bits == 64) return;  // .wide has no 64-bit form
  OpTest test;
  test.text = op("mul.wide", 2);
  test.result_bits = 2 * type.bits;
  test.source_bits = {type.bits, type.bits};
  test.formula = [&](const Row& row) { return low(number(row[0], type) * number(row[1], type)); };
  check_op(test);
  test.text = op("mad.wide", 3);
  test.source_bits.push_back(2 * type.bits);
  test.formula = [&](const Row& row) {
    return low(number(row[0], type) * number(row[1], type)) + row[2];
  };
  check_op(test);
}

TEST_P(Arithmetic, DivRem) {
  // Division by zero as documented: all ones, and the dividend.
  check(op("div", 2), GetParam(), 2,
        [](Big a, Big b, Big) { return b == 0 ? ~uint64_t{0} : low(a / b); });
  check(op("rem", 2), GetParam(), 2, [](Big a, Big b, Big) { return low(b == 0 ? a : a % b); });
}

TEST_P(Arithmetic, MinMaxSad) {
  check(op("min", 2), GetParam(), 2, [](Big a, Big b, Big) { return low(a < b ? a : b); });
  check(op("max", 2), GetParam(), 2, [](Big a, Big b, Big) { return low(a < b ? b : a); });
  check(op("sad", 3), GetParam(), 3,
        [](Big a, Big b, Big c) { return low(c + (a < b ? b - a : a - b)); });
}

TEST_P(Arithmetic, AbsNeg) {
  if (!GetParam().is_signed) return;  // there is no other form
  check(op("abs", 1), GetParam(), 1, [](Big a, Big, Big) { return low(a < 0 ? -a : a); });
  check(op("neg", 1), GetParam(), 1, [](Big a, Big, Big) { return low(-a); });
}

TEST_P(Arithmetic, Mul24Mad24) {
  const IntType type = GetParam();
  if (type.bits != 32) return;  // there is no other form
  const IntType low24{"", 24, type.is_signed};
  const auto product = [&](Big a, Big b) {
    return number(low(a) & 0xffffff, low24) * number(low(b) & 0xffffff, low24);
  };
  check(op("mul24.lo", 2), type, 2, [&](Big a, Big b, Big) { return low(product(a, b)); });
  check(op("mul24.hi", 2), type, 2, [&](Big a, Big b, Big) { return window(product(a, b), 16); });
  check(op("mad24.lo", 3), type, 3, [&](Big a, Big b, Big c) { return low(product(a, b) + c); });
  check(op("mad24.hi", 3), type, 3,
        [&](Big a, Big b, Big c) { return window(product(a, b), 16) + low(c); });
}

INSTANTIATE_TEST_SUITE_P(All, Arithmetic, ::testing::ValuesIn(kTypes),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ArithmeticSat, ClampsToS32) {
  const IntType s32 = kTypes[3];
  const IntType s24{"", 24, true};
  check("add.sat.s32 {d}, {a}, {b};", s32, 2,
        [](Big a, Big b, Big) { return low(clamp32(a + b)); });
  check("sub.sat.s32 {d}, {a}, {b};", s32, 2,
        [](Big a, Big b, Big) { return low(clamp32(a - b)); });
  check("mad.hi.sat.s32 {d}, {a}, {b}, {c};", s32, 3,
        [](Big a, Big b, Big c) { return low(clamp32((a * b >> 32) + c)); });
  check("mad24.hi.sat.s32 {d}, {a}, {b}, {c};", s32, 3, [&](Big a, Big b, Big c) {
    const Big product = number(low(a) & 0xffffff, s24) * number(low(b) & 0xffffff, s24);
    const IntType window32{"", 32, true};
    return low(clamp32(number(window(product, 16) & 0xffffffff, window32) + c));
  });
}

TEST(ArithmeticDot, Dp4aDp2a) {
  const IntType piece8[] = {{"", 8, false}, {"", 8, true}};
  const IntType piece16[] = {{"", 16, false}, {"", 16, true}};
  for (int a_signed : {0, 1}) {
    for (int b_signed : {0, 1}) {
      const std::string types =
          fmt::format(".{}.{}", a_signed ? "s32" : "u32", b_signed ? "s32" : "u32");
      OpTest test;
      test.source_bits = {32, 32, 32};
      test.text = "dp4a" + types + " {d}, {a}, {b}, {c};";
      test.formula = [&](const Row& row) {
        Big sum = static_cast<Big>(row[2]);
        for (int i = 0; i < 4; ++i) {
          sum += number(row[0] >> (8 * i) & 0xff, piece8[a_signed]) *
                 number(row[1] >> (8 * i) & 0xff, piece8[b_signed]);
        }
        return low(sum);
      };
      check_op(test);
      for (int hi : {0, 1}) {
        test.text = fmt::format("dp2a.{}{} {{d}}, {{a}}, {{b}}, {{c}};", hi ? "hi" : "lo", types);
        test.formula = [&, hi](const Row& row) {
          Big sum = static_cast<Big>(row[2]);
          for (int i = 0; i < 2; ++i) {
            sum += number(row[0] >> (16 * i) & 0xffff, piece16[a_signed]) *
                   number(row[1] >> (8 * (i + 2 * hi)) & 0xff, piece8[b_signed]);
          }
          return low(sum);
        };
        check_op(test);
      }
    }
  }
}

}  // namespace
}  // namespace warplock::reference_interp
