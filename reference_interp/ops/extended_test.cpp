#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"
#include "reference_interp/test_support.h"

/// Carry chains: each test shows value and carry of the instruction, with carry in 0 and 1.
namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;
using Row = std::vector<uint64_t>;

struct IntType {
  const char* name;
  int bits;
  bool is_signed;
};
constexpr IntType kTypes[] = {
    {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

class Extended : public ::testing::TestWithParam<IntType> {
 protected:
  /// Sets CC.CF to `carry`, executes, and checks once the value and once the flag.
  void check(const std::string& op, int sources, bool carry_in, bool flag_is_written,
             const std::function<std::pair<uint64_t, bool>(const Row&, bool)>& formula) {
    const IntType type = GetParam();
    const char* operands[] = {"", "", " {d}, {a}, {b};", " {d}, {a}, {b}, {c};"};
    for (bool carry : {false, true}) {
      const std::string set_flag =
          fmt::format("mov.u32 %r50, {};\nadd.cc.u32 %r51, %r50, 1;\n", carry ? "0xffffffff" : "0");
      const std::string text = set_flag + op + "." + type.name + operands[sources];
      OpTest test;
      test.result_bits = type.bits;
      test.source_bits.assign(static_cast<size_t>(sources), type.bits);
      test.text = text;
      test.formula = [&](const Row& row) { return formula(row, carry && carry_in).first; };
      check_op(test);
      // The flag afterwards, in a register of the type's width.
      test.text = text + fmt::format("\naddc.{} {{d}}, 0, 0;", type.bits == 64 ? "u64" : "u32");
      test.formula = [&](const Row& row) -> uint64_t {
        return flag_is_written ? formula(row, carry && carry_in).second : carry;
      };
      check_op(test);
    }
  }

  uint64_t cut(Wide value) const {
    return GetParam().bits == 64 ? static_cast<uint64_t>(value)
                                 : static_cast<uint64_t>(value) & 0xffffffff;
  }
  std::pair<uint64_t, bool> sum(Wide a, Wide b, bool carry) const {
    const Wide total = a + b + (carry ? 1 : 0);
    return {cut(total), (total >> GetParam().bits) != 0};
  }
  std::pair<uint64_t, bool> difference(Wide a, Wide b, bool borrow) const {
    const Wide taken = b + (borrow ? 1 : 0);
    return {cut(a - taken), a < taken};
  }
  uint64_t product(uint64_t a, uint64_t b, bool high) const {
    const int bits = GetParam().bits;
    if (!high) return cut(Wide{a} * b);
    if (!GetParam().is_signed) return cut((Wide{a} * b) >> bits);
    const auto extended = [bits](uint64_t v) {
      return bits == 64 ? SignedWide{static_cast<int64_t>(v)} : SignedWide{static_cast<int32_t>(v)};
    };
    return cut(static_cast<Wide>(extended(a) * extended(b) >> bits));
  }
};

TEST_P(Extended, AddSub) {
  const auto add = [&](const Row& r, bool c) { return sum(r[0], r[1], c); };
  const auto sub = [&](const Row& r, bool c) { return difference(r[0], r[1], c); };
  check("add.cc", 2, false, true, add);
  check("addc", 2, true, false, add);
  check("addc.cc", 2, true, true, add);
  check("sub.cc", 2, false, true, sub);
  check("subc", 2, true, false, sub);
  check("subc.cc", 2, true, true, sub);
}

TEST_P(Extended, Mad) {
  for (bool high : {false, true}) {
    const auto mad = [&](const Row& r, bool c) { return sum(product(r[0], r[1], high), r[2], c); };
    const std::string half = high ? ".hi" : ".lo";
    check("mad" + half + ".cc", 3, false, true, mad);
    check("madc" + half, 3, true, false, mad);
    check("madc" + half + ".cc", 3, true, true, mad);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Extended, ::testing::ValuesIn(kTypes),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(ExtendedFlag, UnwrittenFlagIsAFault) {
  const std::string ptx = testing::kernel_of(1, "addc.u32 %r1, 1, 1;\nst.global.u32 [%rd0], %r1;");
  const auto fault = testing::fault_of(ptx, testing::launch_of(4, 1, {testing::buffer("o", {0})}));
  EXPECT_EQ(fault.klass, "uninitialised");
  EXPECT_EQ(fault.position.line, testing::line_of(ptx, "addc.u32"));
}

}  // namespace
}  // namespace warplock::reference_interp
