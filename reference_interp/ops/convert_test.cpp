#include <gtest/gtest.h>

#include <bit>
#include <cfenv>

#include <fmt/format.h>

#include "reference_interp/op_tester.h"

/// cvt: every pair of integer types in every register that can hold them, with and without .sat,
/// and to .f32 in every direction of rounding; and moves that pack, unpack and copy.
namespace warplock::reference_interp {
namespace {

using testing::check_op;
using testing::OpTest;
__extension__ typedef __int128 Big;
using Row = std::vector<uint64_t>;

struct IntType {
  int bits;
  bool is_signed;
  std::string name() const { return fmt::format("{}{}", is_signed ? "s" : "u", bits); }
  uint64_t mask() const { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
  /// The number that the low bits of a register stand for.
  Big number(uint64_t reg) const {
    const uint64_t cut = reg & mask();
    const bool negative = is_signed && (cut >> (bits - 1) & 1) != 0;
    return static_cast<Big>(cut) - (negative ? static_cast<Big>(1) << bits : 0);
  }
  Big least() const { return is_signed ? -(static_cast<Big>(1) << (bits - 1)) : 0; }
  Big most() const { return (static_cast<Big>(1) << (is_signed ? bits - 1 : bits)) - 1; }
};

const std::vector<IntType> kTypes{{8, false},  {8, true},  {16, false}, {16, true},
                                  {32, false}, {32, true}, {64, false}, {64, true}};
constexpr int kRegisters[] = {16, 32, 64};

TEST(Cvt, IntegerToInteger) {
  for (const IntType& to : kTypes) {
    for (const IntType& from : kTypes) {
      for (int to_register : kRegisters) {
        for (int from_register : kRegisters) {
          if (to_register < to.bits || from_register < from.bits) continue;
          // The front end refuses .sat where it can change nothing.
          const bool holds_all = to.least() <= from.least() && to.most() >= from.most();
          for (bool sat : {false, true}) {
            if (sat && holds_all) continue;
            OpTest test;
            test.text =
                fmt::format("cvt{}.{}.{} {{d}}, {{a}};", sat ? ".sat" : "", to.name(), from.name());
            test.result_bits = to_register;
            test.source_bits = {from_register};
            test.formula = [&](const Row& r) {
              Big value = from.number(r[0]);
              if (sat) value = std::min(std::max(value, to.least()), to.most());
              return static_cast<uint64_t>(to.number(static_cast<uint64_t>(value)));
            };
            check_op(test);
          }
        }
      }
    }
  }
}

TEST(Cvt, IntegerToFloat) {
  const std::pair<const char*, int> kRoundings[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : kRoundings) {
    for (const IntType& from : kTypes) {
      for (int from_register : kRegisters) {
        if (from_register < from.bits) continue;
        OpTest test;
        test.text = fmt::format("cvt.{}.f32.{} {{d}}, {{a}};", name, from.name());
        test.source_bits = {from_register};
        const int rounding = mode;
        test.formula = [&, rounding](const Row& r) {
          // The processor's own conversion, in the same direction.
          std::fesetround(rounding);
          volatile float result = 0;
          if (from.is_signed) {
            volatile int64_t value = static_cast<int64_t>(from.number(r[0]));
            result = static_cast<float>(value);
          } else {
            // Halved to fit a signed number, with the lost bit kept as a sticky one.
            const uint64_t whole = static_cast<uint64_t>(from.number(r[0]));
            const bool big = whole >> 63 != 0;
            volatile int64_t value = static_cast<int64_t>(big ? whole >> 1 | (whole & 1) : whole);
            result = static_cast<float>(value);
            if (big) result = result * 2;
          }
          std::fesetround(FE_TONEAREST);
          return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(result))};
        };
        check_op(test);
      }
    }
  }
}

TEST(Mov, CopiesPacksUnpacks) {
  for (int bits : {1, 16, 32, 64}) {
    OpTest test;
    test.text = fmt::format("mov.{} {{d}}, {{a}};", bits == 1 ? "pred" : fmt::format("b{}", bits));
    test.result_bits = bits;
    test.source_bits = {bits};
    test.formula = [](const Row& r) { return r[0]; };
    check_op(test);
  }
  OpTest test;
  test.text = "mov.b32 {d}, {{a}, {b}};";
  test.source_bits = {16, 16};
  test.formula = [](const Row& r) { return r[1] << 16 | r[0]; };
  check_op(test);
  test.text = "mov.b64 {d}, {{a}, {b}};";
  test.result_bits = 64;
  test.source_bits = {32, 32};
  test.formula = [](const Row& r) { return r[1] << 32 | r[0]; };
  check_op(test);
  test.text = "mov.b64 {d}, {{a}, {b}, {c}, {e}};";
  test.source_bits = {16, 16, 16, 16};
  test.formula = [](const Row& r) { return r[3] << 48 | r[2] << 32 | r[1] << 16 | r[0]; };
  check_op(test);
  test.source_bits = {64};
  test.text = "mov.b64 {%r20, {d}}, {a};";
  test.result_bits = 32;
  test.formula = [](const Row& r) { return r[0] >> 32; };
  check_op(test);
  test.text = "mov.b64 {{d}, %r20}, {a};";
  test.formula = [](const Row& r) { return r[0]; };
  check_op(test);
  test.text = "mov.b64 {%rs20, %rs21, {d}, %rs22}, {a};";
  test.result_bits = 16;
  test.formula = [](const Row& r) { return r[0] >> 32; };
  check_op(test);
  test.text = "mov.b32 {%rs20, {d}}, {a};";
  test.source_bits = {32};
  test.formula = [](const Row& r) { return r[0] >> 16; };
  check_op(test);
}

}  // namespace
}  // namespace warplock::reference_interp
