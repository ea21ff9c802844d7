#include <gtest/gtest.h>

#include "ptx/token_stream.h"

namespace warplock::ptx {
namespace {

Constant constant(const std::string& text) {
  diagnostics::SourceText source("t", text);
  TokenStream tokens(source);
  Constant value = parse_constant(tokens);
  EXPECT_TRUE(tokens.at_end()) << text;
  return value;
}

int64_t value(const std::string& text) {
  return static_cast<int64_t>(constant(text).bits);
}

std::string failure(const std::string& text) {
  diagnostics::SourceText source("t", text);
  TokenStream tokens(source);
  try {
    parse_constant(tokens);
  } catch (const Failure& error) {
    return error.diagnostic.klass;
  }
  return "ok";
}

TEST(ConstantExpression, HasThePrecedencesOfC) {
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("1<<2+3"), 32);
  EXPECT_EQ(value("6&3|8^1"), 11);
  EXPECT_EQ(value("1|2==2"), 1);
  EXPECT_EQ(value("1+1<3 && 0 || 1"), 1);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("100/5/2"), 10);
  EXPECT_EQ(value("-2*3"), -6);
  EXPECT_EQ(value("~0"), -1);
  EXPECT_EQ(value("!5+!0"), 1);
  EXPECT_EQ(value("1?2:3"), 2);
  EXPECT_EQ(value("0?2:1?4:5"), 4);
  EXPECT_EQ(value("7 % 4"), 3);
}

TEST(ConstantExpression, IsSignedUnlessAPartIsUnsigned) {
  EXPECT_EQ(value("-7/2"), -3);
  EXPECT_EQ(value("-7 % 2"), -1);
  EXPECT_EQ(constant("-7/2U").bits, (UINT64_MAX - 6) / 2);
  EXPECT_EQ(value("-1<0"), 1);
  EXPECT_EQ(value("-1<0U"), 0);
  EXPECT_EQ(value("-1>0U"), 1);
  EXPECT_EQ(value("-16>>2"), -4);
  EXPECT_EQ(constant("(.u64)-16>>60").bits, 15u);
  EXPECT_EQ(value("(.s64)0xFFFFFFFFFFFFFFFF/2"), 0);
  EXPECT_EQ(constant("1U+1").kind, Constant::Kind::kUnsigned);
  EXPECT_EQ(constant("-9223372036854775808").bits, uint64_t{1} << 63);
}

TEST(ConstantExpression, NothingOverflowsInTheHost) {
  EXPECT_EQ(value("(.s64)0x8000000000000000/-1"), INT64_MIN);
  EXPECT_EQ(value("(.s64)0x8000000000000000 % -1"), 0);
  EXPECT_EQ(value("0x7fffffffffffffff+1"), INT64_MIN);
  EXPECT_EQ(value("0x7fffffffffffffff*2"), -2);
  EXPECT_EQ(value("1<<63"), INT64_MIN);
}

TEST(ConstantExpression, FloatsAreLiteralsOnly) {
  EXPECT_EQ(constant("0f3F800000").kind, Constant::Kind::kFloat32);
  EXPECT_EQ(constant("-1.5").bits, 0xBFF8000000000000u);
  EXPECT_EQ(constant("-1e3").bits, 0xC08F400000000000u);
  EXPECT_EQ(failure("1.5+1"), "unsupported");
  EXPECT_EQ(failure("-0f3F800000"), "syntax");
  EXPECT_EQ(failure("~1.5"), "syntax");
}

TEST(ConstantExpression, Refusals) {
  EXPECT_EQ(failure("1/0"), "out of range");
  EXPECT_EQ(failure("1 % 0"), "out of range");
  EXPECT_EQ(failure("1<<64"), "out of range");
  EXPECT_EQ(failure("1>>-1"), "out of range");
  EXPECT_EQ(failure("1+"), "syntax");
  EXPECT_EQ(failure("(1"), "syntax");
  EXPECT_EQ(failure("1?2"), "syntax");
  EXPECT_EQ(failure("x"), "syntax");
  EXPECT_EQ(failure("WARP_SZ"), "unsupported");
}

TEST(ConstantExpression, FitsIsSignedOrUnsigned) {
  EXPECT_TRUE(fits(constant("4294967295"), 32));
  EXPECT_FALSE(fits(constant("4294967296"), 32));
  EXPECT_TRUE(fits(constant("-2147483648"), 32));
  EXPECT_FALSE(fits(constant("-2147483649"), 32));
  EXPECT_TRUE(fits(constant("-1"), 1));
  EXPECT_FALSE(fits(constant("2"), 1));
  EXPECT_TRUE(fits(constant("18446744073709551615"), 64));
  EXPECT_FALSE(fits(constant("18446744073709551615"), 32));
}

}  // namespace
}  // namespace warplock::ptx
