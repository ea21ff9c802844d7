#include "executor/launch.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::executor {
namespace {

using diagnostics::Diagnostic;
using diagnostics::InputError;
using diagnostics::Position;
using diagnostics::SourceText;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDot = R"({
  "entry": "dot",
  "grid": [1, 2, 3],
  "block": [4, 1, 1],
  "warp_width": 4,
  "arguments": [
    {"name": "a",   "buffer": [1, -1, 4294967295, -2147483648]},
    {"name": "out", "buffer": {"words": 3}},
    {"name": "n",   "u32": 3},
    {"name": "s",   "s32": -1},
    {"name": "b",   "u8": 255},
    {"name": "h",   "u16": 65535},
    {"name": "w",   "u64": 18446744073709551615},
    {"name": "v",   "s64": -9223372036854775808}
  ],
  "expect": {"out": [32, 0, 0]}
})";

Launch parse(std::string text, std::string name = "launch.json") {
  return parse_launch(std::make_shared<const SourceText>(std::move(name), std::move(text)));
}

Diagnostic refused(std::string text, std::string name = "launch.json") {
  try {
    parse(text, std::move(name));
  } catch (const InputError& error) {
    EXPECT_GT(error.diagnostics().front().position.line, 0u);
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 300);
  return {};
}

/// A small launch with one part replaced.
std::string with(const std::string& old_part, const std::string& new_part) {
  std::string text = R"({"entry": "k", "grid": [1, 1, 1], "block": [4, 1, 1], "warp_width": 4,
 "arguments": [{"name": "a", "buffer": [1, 2]}, {"name": "n", "u32": 4}], "expect": {"a": [3, 4]}})";
  size_t at = text.find(old_part);
  EXPECT_NE(at, std::string::npos) << old_part;
  return text.replace(at, old_part.size(), new_part);
}

void expect_same(const Launch& a, const Launch& b) {
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.warp_width, b.warp_width);
  EXPECT_EQ(a.expect, b.expect);
  EXPECT_EQ(a.shared_bytes, b.shared_bytes);
  EXPECT_EQ(a.max_steps, b.max_steps);
  ASSERT_EQ(a.arguments.size(), b.arguments.size());
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    EXPECT_EQ(a.arguments[i].name, b.arguments[i].name);
    EXPECT_EQ(a.arguments[i].is_buffer, b.arguments[i].is_buffer);
    EXPECT_EQ(a.arguments[i].words, b.arguments[i].words);
    EXPECT_EQ(a.arguments[i].scalar, b.arguments[i].scalar);
    EXPECT_EQ(a.arguments[i].scalar_bytes, b.arguments[i].scalar_bytes);
  }
  EXPECT_EQ(digest(a), digest(b));
}

TEST(ParseLaunch, ReadsEverything) {
  Launch launch = parse(kDot);
  EXPECT_EQ(launch.entry, "dot");
  EXPECT_EQ(launch.entry_position, (Position{2, 12}));
  EXPECT_THAT(launch.grid, ElementsAre(1, 2, 3));
  EXPECT_THAT(launch.block, ElementsAre(4, 1, 1));
  EXPECT_EQ(launch.warp_width, 4u);
  EXPECT_EQ(launch.max_steps, 10'000'000u);
  EXPECT_EQ(launch.shared_bytes, 0u);
  ASSERT_EQ(launch.arguments.size(), 8u);
  EXPECT_THAT(launch.arguments[0].words, ElementsAre(1, 0xffffffff, 0xffffffff, 0x80000000));
  EXPECT_THAT(launch.arguments[1].words, ElementsAre(0, 0, 0));
  EXPECT_EQ(launch.arguments[2].scalar, 3u);
  EXPECT_EQ(launch.arguments[3].scalar, 0xffffffffu);
  EXPECT_EQ(launch.arguments[4].scalar, 255u);
  EXPECT_EQ(launch.arguments[4].scalar_bytes, 1u);
  EXPECT_EQ(launch.arguments[5].scalar_bytes, 2u);
  EXPECT_EQ(launch.arguments[6].scalar, ~uint64_t{0});
  EXPECT_EQ(launch.arguments[7].scalar, uint64_t{1} << 63);
  EXPECT_EQ(launch.arguments[7].scalar_bytes, 8u);
  EXPECT_THAT(launch.expect.at("out"), ElementsAre(32, 0, 0));
}

TEST(ParseLaunch, TakesTheOptionalKeys) {
  Launch launch =
      parse(with("\"expect\": {\"a\": [3, 4]}",
                 R"("shared_bytes": 16, "max_steps": 7, "about": {"x": [1]}, "comment": 0)"));
  EXPECT_EQ(launch.shared_bytes, 16u);
  EXPECT_EQ(launch.max_steps, 7u);
  EXPECT_TRUE(launch.expect.empty());
}

/// `new_part` has a '@' before the offending value; without one the complaint is about the launch.
struct Bad {
  std::string old_part, new_part, message;
};

TEST(ParseLaunch, RefusesWrongValuesAtTheirPlace) {
  const Bad bads[] = {
      {"\"k\"", "@5", "\"entry\" must be a string, not 5"},
      {"\"k\"", "@\"\"", "empty"},
      {"{\"entry\": \"k\", ", "@{", "no \"entry\""},
      {"\"entry\": \"k\", \"grid\": [1, 1, 1], ", "\"entry\": \"k\", ", "no \"grid\""},
      {"\"warp_width\": 4,", "", "no \"warp_width\""},
      {"\"entry\"", "@\"entyr\"", "did you mean \"entry\"?"},
      {"\"grid\"", "@\"entry\"", "twice"},
      {"[1, 1, 1]", "@[1, 1]", "three numbers"},
      {"[1, 1, 1]", "[1, @0, 1]", "from 1 to"},
      {"[1, 1, 1]", "[1, @-1, 1]", "from 1 to"},
      {"[1, 1, 1]", "[1, @1.5, 1]", "integer"},
      {"[1, 1, 1]", "[1, @\"1\", 1]", "integer"},
      {"[1, 1, 1]", "[65536, @2, 1]", "more than 65536 CTAs"},
      {"[1, 1, 1]", "[@4294967295, 4294967295, 4294967295]", "more than 65536 CTAs"},
      {"[4, 1, 1]", "[1024, 1, @2]", "more than 1024 threads"},
      {"\"warp_width\": 4", "\"warp_width\": @8", "must be 4 or 32, not 8"},
      {"\"warp_width\": 4", "\"warp_width\": @\"4\"", "integer"},
      {"[1, 2]", "[1, @4294967296]", "word 1 of \"a\""},
      {"[1, 2]", "[1, @-2147483649]", "word 1 of \"a\""},
      {"[1, 2]", "[1, @null]", "integer"},
      {"[1, 2]", "@7", "array of words"},
      {"[1, 2]", "{\"words\": @67108865}", "limit of 67108864 words"},
      {"[1, 2]", "{\"words\": @1e3}", "integer"},
      {"[1, 2]", "{@\"word\": 2}", "did you mean \"words\"?"},
      {"[1, 2]", "@{}", "either \"words\" or \"file\""},
      {"\"u32\": 4", "\"u32\": @4294967296", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"u32\": @-1", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"s32\": @2147483648", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"s32\": @-2147483649", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"u64\": @18446744073709551616", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"s64\": @9223372036854775808", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"u8\": @256", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"u16\": @65536", "\"n\" must be an integer"},
      {"\"u32\": 4", "\"u32\": 4, @\"buffer\": []", "has two"},
      {"{\"name\": \"n\", \"u32\": 4}", "@{\"name\": \"n\"}", "neither"},
      {"{\"name\": \"n\", \"u32\": 4}", "@{\"u32\": 4}", "no \"name\""},
      {"\"n\"", "@\"a\"", "two arguments are named \"a\""},
      {"{\"a\": [3, 4]}", "{@\"n\": [3, 4]}", "no buffer"},
      {"{\"a\": [3, 4]}", "{@\"z\": [3, 4]}", "no buffer"},
      {"{\"a\": [3, 4]}", "{\"a\": @[3]}", "has 1 words, the buffer has 2"},
      {"{\"a\": [3, 4]}", "@[]", "object"},
      {"\"expect\"", "\"shared_bytes\": @232449, \"expect\"", "\"shared_bytes\""},
      {"\"expect\"", "\"max_steps\": @0, \"expect\"", "\"max_steps\""},
  };
  for (const Bad& bad : bads) {
    std::string text = with(bad.old_part, bad.new_part);
    size_t at = text.find('@');
    if (at != std::string::npos) text.erase(at, 1);
    Position expected = SourceText("", text).position(at == std::string::npos ? 0 : at);
    Diagnostic d = refused(text);
    EXPECT_EQ(d.position.line, expected.line) << bad.new_part << ": " << d.message;
    EXPECT_EQ(d.position.column, expected.column) << bad.new_part << ": " << d.message;
    EXPECT_THAT(d.message, HasSubstr(bad.message)) << bad.new_part;
  }
}

TEST(ParseLaunch, RefusesWhatIsNoObject) {
  for (const char* text :
       {"", "[]", "null", "5", "\"x\"", "{", "\x00\xff", "{\"entry\": \"\xff\"}"}) {
    refused(text);
  }
}

TEST(ParseLaunch, LimitsAllBuffersTogether) {
  std::string half = "{\"words\": 33554433}";
  Diagnostic d = refused(with("[1, 2]}", half + "}, {\"name\": \"b\", \"buffer\": " + half + "}"));
  EXPECT_THAT(d.message, HasSubstr("in all buffers together"));
}

class BufferFile : public testing::Test {
 protected:
  BufferFile() {
    folder_ = std::filesystem::path(testing::TempDir()) / "warplock_launch_test";
    std::filesystem::create_directories(folder_);
  }
  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string launch_path() { return (folder_ / "launch.json").string(); }
  std::string with_file(const std::string& name) {
    return with("[1, 2]", "{\"file\": \"" + name + "\"}");
  }
  std::filesystem::path folder_;
};

TEST_F(BufferFile, IsReadAsLittleEndianWordsNextToTheLaunch) {
  write("two.bin", std::string("\x01\x02\x03\x04\xff\xff\xff\x7f", 8));
  Launch launch = parse(with_file("two.bin"), launch_path());
  EXPECT_THAT(launch.arguments[0].words, ElementsAre(0x04030201, 0x7fffffff));
}

TEST_F(BufferFile, IsRefusedWhenItIsNotWholeWordsOrNotAFile) {
  write("odd.bin", "12345");
  EXPECT_THAT(refused(with_file("odd.bin"), launch_path()).message, HasSubstr("multiple of 4"));
  EXPECT_THAT(refused(with_file("none.bin"), launch_path()).message, HasSubstr("none.bin"));
  EXPECT_THAT(refused(with_file("/dev/zero"), launch_path()).message,
              HasSubstr("not a regular file"));
  EXPECT_THAT(refused(with_file("."), launch_path()).message, HasSubstr("not a regular file"));
  EXPECT_EQ(refused(with_file(""), launch_path()).position, (Position{2, 49}));
}

TEST_F(BufferFile, IsRefusedBeyondTheLimitWithoutBeingRead) {
  write("big.bin", "");
  std::filesystem::resize_file(folder_ / "big.bin", (kMaxTotalWords + 1) * 4);
  EXPECT_THAT(refused(with_file("big.bin"), launch_path()).message, HasSubstr("limit of 67108864"));
  std::filesystem::remove(folder_ / "big.bin");
}

TEST(ToJson, GivesTheSameLaunchBack) {
  Launch launch = parse(kDot);
  expect_same(parse(to_json(launch)), launch);
  Launch odd = parse(with("\"k\"", R"("\u00e9\n\"\u0000")"));
  expect_same(parse(to_json(odd)), odd);
}

TEST(ToJson, KeepsLargeEmptyBuffersShort) {
  std::string text = with("[1, 2]", "{\"words\": 1000000}");
  Launch launch = parse(text.replace(text.find("[3, 4]"), 6, "{\"words\": 1000000}"));
  EXPECT_LT(to_json(launch).size(), 1000u);
  expect_same(parse(to_json(launch)), launch);
}

TEST(LaunchDigest, ChangesWithEverythingThatDecidesTheResult) {
  const std::string base = digest(parse(with("\"k\"", "\"k\"")));
  const std::pair<std::string, std::string> changes[] = {
      {"\"k\"", "\"l\""},
      {"[1, 1, 1]", "[2, 1, 1]"},
      {"[4, 1, 1]", "[1, 4, 1]"},
      {"\"warp_width\": 4", "\"warp_width\": 32"},
      {"[1, 2]", "[1, 3]"},
      {"\"u32\": 4", "\"u32\": 5"},
      {"\"u32\": 4", "\"u64\": 4"},
      {"\"n\"", "\"m\""},
      {"\"expect\"", "\"shared_bytes\": 4, \"expect\""},
      {"\"expect\"", "\"max_steps\": 5, \"expect\""},
  };
  for (const auto& [old_part, new_part] : changes) {
    EXPECT_NE(digest(parse(with(old_part, new_part))), base) << new_part;
  }
  EXPECT_EQ(digest(parse(with("[3, 4]", "[5, 6]"))), base);
  EXPECT_EQ(base.size(), 64u);
}

}  // namespace
}  // namespace warplock::executor
