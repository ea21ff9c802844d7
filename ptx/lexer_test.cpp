#include "ptx/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::ptx {
namespace {

using Kind = Token::Kind;

/// Each token as its kind and text.
std::vector<std::pair<Kind, std::string>> tokens_of(const std::string& text) {
  diagnostics::SourceText source("t", text);
  Lexer lexer(source);
  std::vector<std::pair<Kind, std::string>> tokens;
  for (Token token = lexer.next(); token.kind != Kind::kEnd; token = lexer.next()) {
    tokens.emplace_back(token.kind, std::string(token.text));
  }
  return tokens;
}

Token first(const std::string& text) {
  static std::vector<std::unique_ptr<diagnostics::SourceText>> alive;
  alive.push_back(std::make_unique<diagnostics::SourceText>("t", text));
  return Lexer(*alive.back()).next();
}

diagnostics::Diagnostic error_of(const std::string& text) {
  try {
    tokens_of(text);
  } catch (const diagnostics::InputError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(Lexer, SplitsAnInstruction) {
  EXPECT_THAT(
      tokens_of("@!%p1 ld.global.L1::evict_last.v2.u32 {%r1,_}, [%rd1+-4];"),
      testing::ElementsAre(
          std::pair(Kind::kPunct, "@"), std::pair(Kind::kPunct, "!"), std::pair(Kind::kName, "%p1"),
          std::pair(Kind::kName, "ld"), std::pair(Kind::kDotWord, "global"),
          std::pair(Kind::kDotWord, "L1::evict_last"), std::pair(Kind::kDotWord, "v2"),
          std::pair(Kind::kDotWord, "u32"), std::pair(Kind::kPunct, "{"),
          std::pair(Kind::kName, "%r1"), std::pair(Kind::kPunct, ","), std::pair(Kind::kName, "_"),
          std::pair(Kind::kPunct, "}"), std::pair(Kind::kPunct, ","), std::pair(Kind::kPunct, "["),
          std::pair(Kind::kName, "%rd1"), std::pair(Kind::kPunct, "+"),
          std::pair(Kind::kPunct, "-"), std::pair(Kind::kInteger, "4"),
          std::pair(Kind::kPunct, "]"), std::pair(Kind::kPunct, ";")));
}

TEST(Lexer, NamesMayHaveDollarsAndPercents) {
  EXPECT_THAT(
      tokens_of("$L__BB0_1: _x %tid.x a$b"),
      testing::ElementsAre(std::pair(Kind::kName, "$L__BB0_1"), std::pair(Kind::kPunct, ":"),
                           std::pair(Kind::kName, "_x"), std::pair(Kind::kName, "%tid"),
                           std::pair(Kind::kDotWord, "x"), std::pair(Kind::kName, "a$b")));
}

TEST(Lexer, PercentBeforeABlankIsTheOperator) {
  EXPECT_THAT(tokens_of("7 % 2"),
              testing::ElementsAre(std::pair(Kind::kInteger, "7"), std::pair(Kind::kPunct, "%"),
                                   std::pair(Kind::kInteger, "2")));
}

TEST(Lexer, IntegersOfEveryRadix) {
  EXPECT_EQ(first("42").value, 42u);
  EXPECT_EQ(first("0").value, 0u);
  EXPECT_EQ(first("0777").value, 511u);
  EXPECT_EQ(first("0b101").value, 5u);
  EXPECT_EQ(first("0x1F").value, 31u);
  EXPECT_EQ(first("0XfF").value, 255u);
  EXPECT_EQ(first("18446744073709551615").value, UINT64_MAX);
  EXPECT_FALSE(first("9223372036854775807").is_unsigned);
  EXPECT_TRUE(first("9223372036854775808").is_unsigned);
  EXPECT_TRUE(first("5U").is_unsigned);
  EXPECT_TRUE(first("0x5U").is_unsigned);
}

TEST(Lexer, Floats) {
  EXPECT_EQ(first("0f3F800000").kind, Kind::kFloat32);
  EXPECT_EQ(first("0f3F800000").value, 0x3F800000u);
  EXPECT_EQ(first("0d3FF0000000000000").kind, Kind::kFloat64);
  EXPECT_EQ(first("1.5").value, 0x3FF8000000000000u);
  EXPECT_EQ(first("1e3").value, 0x408F400000000000u);
  EXPECT_EQ(first("2.").kind, Kind::kFloat64);
}

TEST(Lexer, PositionsCountFromOne) {
  diagnostics::SourceText source("t", "a /* x\ny */ b\n\n  c // d\n.e");
  Lexer lexer(source);
  EXPECT_EQ(lexer.next().position, (diagnostics::Position{1, 1}));
  EXPECT_EQ(lexer.next().position, (diagnostics::Position{2, 6}));
  EXPECT_EQ(lexer.next().position, (diagnostics::Position{4, 3}));
  EXPECT_EQ(lexer.next().position, (diagnostics::Position{5, 1}));
  EXPECT_EQ(lexer.next().kind, Kind::kEnd);
  EXPECT_EQ(lexer.next().kind, Kind::kEnd);
}

TEST(Lexer, SkipsCommentsAndOldDebugLines) {
  EXPECT_TRUE(tokens_of("// a\n/* b * / **/ @@DWARF .byte 1\n\f\v\r\t").empty());
}

TEST(Lexer, Strings) {
  Token token = first("\"a \\\" b\"");
  EXPECT_EQ(token.kind, Kind::kString);
  EXPECT_EQ(token.text, "a \\\" b");
}

TEST(Lexer, RefusesWithAPlace) {
  EXPECT_EQ(error_of("a\n \x82").position, (diagnostics::Position{2, 2}));
  EXPECT_EQ(error_of(std::string("a\0b", 3)).klass, "lexical");
  EXPECT_EQ(error_of("a /* b").position, (diagnostics::Position{1, 3}));
  EXPECT_EQ(error_of("\"a\nb\"").klass, "lexical");
  EXPECT_EQ(error_of("\"a\\").klass, "lexical");
  EXPECT_EQ(error_of("08").klass, "lexical");
  EXPECT_EQ(error_of("0x").klass, "lexical");
  EXPECT_EQ(error_of("5x").klass, "lexical");
  EXPECT_EQ(error_of("0f123").klass, "lexical");
  EXPECT_EQ(error_of("1e").klass, "lexical");
  EXPECT_EQ(error_of("18446744073709551616").klass, "out of range");
  EXPECT_EQ(error_of("0x10000000000000000").klass, "out of range");
}

}  // namespace
}  // namespace warplock::ptx
