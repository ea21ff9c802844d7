#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/external.h"

namespace warplock::executor {
namespace {

using diagnostics::Position;
using diagnostics::SourceText;

std::map<std::string, ExternalDefinition> parse(std::string text) {
  return parse_external_definitions(
      std::make_shared<const SourceText>("executors.json", std::move(text)));
}

TEST(ExternalDefinitions, AreRead) {
  auto all = parse(R"({
    "mygpu": {"command": ["./mygpu", "--batch"], "warp_widths": [4], "levels": ["off", "memory"],
              "timeout_seconds": 2.5},
    "plain": {"command": ["plain"]}
  })");
  ASSERT_EQ(all.size(), 2u);
  const ExternalDefinition& mygpu = all.at("mygpu");
  EXPECT_EQ(mygpu.name, "mygpu");
  EXPECT_THAT(mygpu.command, testing::ElementsAre("./mygpu", "--batch"));
  EXPECT_THAT(mygpu.warp_widths, testing::ElementsAre(4));
  EXPECT_EQ(mygpu.max_level, trace::Level::kMemory);
  EXPECT_EQ(mygpu.timeout_seconds, 2.5);
  const ExternalDefinition& plain = all.at("plain");
  EXPECT_THAT(plain.warp_widths, testing::ElementsAre(4, 32));
  EXPECT_EQ(plain.max_level, trace::Level::kOff);
  EXPECT_EQ(plain.timeout_seconds, 20);
  EXPECT_TRUE(parse("{}").empty());
}

TEST(ExternalDefinitions, AreRefusedAtTheirPlace) {
  // '@' stands before the offending value.
  const std::pair<const char*, const char*> bads[] = {
      {R"(@[])", "must be an object"},
      {R"({"a": @5})", "must be an object"},
      {R"({"a": @{}})", "no \"command\""},
      {R"({"a": {"command": @[]}})", "empty"},
      {R"({"a": {"command": @[""]}})", "empty"},
      {R"({"a": {"command": @"x"}})", "array"},
      {R"({"a": {"command": ["x", @5]}})", "string"},
      {R"({"a": {"command": ["x", @"\u0000"]}})", "zero byte"},
      {R"({"a": {"command": ["x"], @"timeout": 5}})", "no key \"timeout\""},
      {R"({"a": {"command": ["x"], @"level": 5}})", "did you mean \"levels\"?"},
      {R"({"a": {"command": ["x"], "timeout_seconds": @0}})", "more than 0"},
      {R"({"a": {"command": ["x"], "timeout_seconds": @-1}})", "more than 0"},
      {R"({"a": {"command": ["x"], "timeout_seconds": @1e9}})", "at most 86400"},
      {R"({"a": {"command": ["x"], "timeout_seconds": @"9"}})", "number"},
      {R"({"a": {"command": ["x"], "warp_widths": [4, @8]}})", "4 or 32"},
      {R"({"a": {"command": ["x"], "warp_widths": @[]}})", "empty"},
      {R"({"a": {"command": ["x"], "levels": [@"all"]}})", "\"off\", \"memory\" or \"registers\""},
      {R"({"a": {"command": ["x"], "levels": @[]}})", "empty"},
      {R"({@"a,b": {"command": ["x"]}})", "letters"},
      {R"({@"": {"command": ["x"]}})", "letters"},
      {R"({"a": {"command": ["x"]}, @"a": {"command": ["x"]}})", "twice"},
      {R"({"a": {"command": ["x"]},@})", ""},
  };
  for (const auto& [marked, message] : bads) {
    std::string text = marked;
    size_t at = text.find('@');
    text.erase(at, 1);
    try {
      parse(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const diagnostics::InputError& error) {
      const diagnostics::Diagnostic& d = error.diagnostics().front();
      EXPECT_EQ(d.position, SourceText("", text).position(at)) << text << ": " << d.message;
      EXPECT_THAT(d.message, testing::HasSubstr(message)) << text;
    }
  }
}

TEST(ExternalDefinitions, KnowWhetherTheirCommandIsThere) {
  ExternalDefinition definition;
  EXPECT_NE(why_missing(definition), "");
  definition.command = {"sh"};
  EXPECT_EQ(why_missing(definition), "");
  definition.command = {"./not-there"};
  EXPECT_THAT(why_missing(definition), testing::HasSubstr("not-there"));
}

}  // namespace
}  // namespace warplock::executor
