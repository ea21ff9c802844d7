#include "ptx/types.h"

#include <set>

#include <gtest/gtest.h>

#include "ptx/forms.h"

namespace warplock::ptx {
namespace {

TEST(Types, HaveTheBitsOfTheirNames) {
  EXPECT_EQ(bits(Type::kB8), 8u);
  EXPECT_EQ(bits(Type::kS16), 16u);
  EXPECT_EQ(bits(Type::kF32), 32u);
  EXPECT_EQ(bits(Type::kU64), 64u);
  EXPECT_EQ(bits(Type::kB128), 128u);
  EXPECT_EQ(bits(Type::kPred), 1u);
  EXPECT_EQ(bytes(Type::kPred), 1u);
  EXPECT_EQ(bytes(Type::kF64), 8u);
}

TEST(Types, SpellingsAreReadBack) {
  for (int i = 1; i <= static_cast<int>(Type::kPred); ++i) {
    Type type = static_cast<Type>(i);
    EXPECT_EQ(type_named(spelling(type)), type);
    std::string_view name = spelling(type);
    EXPECT_EQ(is_signed(type), name.front() == 's');
    if (type != Type::kPred) {
      EXPECT_EQ(std::to_string(bits(type)), name.substr(1));
    }
  }
  EXPECT_EQ(type_named("f16"), Type::kNone);
  EXPECT_EQ(type_named("none"), Type::kNone);
}

TEST(Types, OpcodesAndSpecialRegistersHaveDifferentSpellings) {
  std::set<std::string_view> seen;
  for (int i = 0; i <= static_cast<int>(Opcode::kRedux); ++i) {
    EXPECT_TRUE(seen.insert(spelling(static_cast<Opcode>(i))).second);
  }
  for (int i = 0; i <= static_cast<int>(SpecialRegister::kDynamicSmemSize); ++i) {
    EXPECT_TRUE(seen.insert(spelling(static_cast<SpecialRegister>(i))).second);
  }
  EXPECT_EQ(spelling(Opcode::kBrxIdx), "brx.idx");
  EXPECT_EQ(spelling(Opcode::kBarWarpSync), "bar.warp.sync");
  EXPECT_EQ(spelling(Space::kShared), "shared");
  EXPECT_EQ(spelling(SpecialRegister::kTidX), "%tid.x");
  EXPECT_EQ(spelling(SpecialRegister::kWarpSize), "WARP_SZ");
  EXPECT_EQ(spelling(SpecialRegister::kGlobaltimerHi), "%globaltimer_hi");
}

TEST(Types, SpecialRegistersOf64Bits) {
  EXPECT_EQ(type_of(SpecialRegister::kClock64), Type::kU64);
  EXPECT_EQ(type_of(SpecialRegister::kGlobaltimer), Type::kU64);
  EXPECT_EQ(type_of(SpecialRegister::kGridid), Type::kU64);
  EXPECT_EQ(type_of(SpecialRegister::kClock), Type::kU32);
  EXPECT_EQ(type_of(SpecialRegister::kTidX), Type::kU32);
}

}  // namespace
}  // namespace warplock::ptx
