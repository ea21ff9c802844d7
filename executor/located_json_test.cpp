#include "executor/located_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::executor {
namespace {

using diagnostics::InputError;
using diagnostics::Position;
using diagnostics::SourceText;

std::shared_ptr<const SourceText> source(std::string text) {
  return std::make_shared<const SourceText>("a.json", std::move(text));
}

diagnostics::Diagnostic refused(std::string text) {
  try {
    JsonDocument document(source(std::move(text)), "test");
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(LocatedJson, KnowsThePlaceOfEveryValue) {
  JsonDocument document(
      source("{\"a,:]\\\"\" :\n  [1 ,-2,\t3.5],\n \"b\":{\"c\": null, \"d\"\n: true},"
             "\"e\":\"x\"}"),
      "test");
  auto members = document.root().members("it");
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].first.string("key"), "a,:]\"");
  EXPECT_EQ(members[0].first.position(), (Position{1, 2}));
  EXPECT_EQ(members[0].second.position(), (Position{2, 3}));
  auto elements = members[0].second.elements("it");
  ASSERT_EQ(elements.size(), 3u);
  EXPECT_EQ(elements[0].position(), (Position{2, 4}));
  EXPECT_EQ(elements[1].position(), (Position{2, 7}));
  EXPECT_EQ(elements[2].position(), (Position{2, 11}));
  EXPECT_EQ(elements[2].number("it"), 3.5);
  auto inner = members[1].second.members("it");
  EXPECT_EQ(inner[0].second.position(), (Position{3, 12}));
  EXPECT_EQ(inner[1].first.position(), (Position{3, 18}));
  EXPECT_EQ(inner[1].second.position(), (Position{4, 3}));
  EXPECT_EQ(members[2].second.position(), (Position{4, 13}));
  EXPECT_EQ(members[2].second.string("it"), "x");
}

TEST(LocatedJson, SkipsAByteOrderMark) {
  JsonDocument document(source("\xef\xbb\xbf[7]"), "test");
  EXPECT_EQ(document.root().elements("it")[0].position(), (Position{1, 5}));
}

TEST(LocatedJson, RefusesAKeyGivenTwice) {
  diagnostics::Diagnostic d = refused("{\"a\": 1,\n \"b\": {\"a\": 2}, \"a\": 3}");
  EXPECT_EQ(d.position, (Position{2, 17}));
  EXPECT_EQ(d.message, "key \"a\" is given twice");
}

TEST(LocatedJson, RefusesSyntaxErrorsAtTheirPlace) {
  EXPECT_EQ(refused("[1,\n 2,,3]").position, (Position{2, 4}));
  EXPECT_EQ(refused("").position, (Position{1, 1}));
  EXPECT_EQ(refused("[1] x").position, (Position{1, 5}));
  EXPECT_EQ(refused("[1e999]").klass, "syntax");
  EXPECT_EQ(refused("\"\xff\"").klass, "syntax");
  EXPECT_EQ(refused("[1,").position, (Position{1, 4}));
}

TEST(LocatedJson, BoundsTheNesting) {
  std::string just(JsonDocument::kMaxDepth, '[');
  EXPECT_NO_THROW(JsonDocument(source(just + std::string(just.size(), ']')), "test"));
  diagnostics::Diagnostic d = refused(std::string(1'000'000, '['));
  EXPECT_THAT(d.message, testing::HasSubstr("limit of 64"));
  EXPECT_EQ(d.position, (Position{1, JsonDocument::kMaxDepth + 1}));
}

TEST(LocatedJson, KeepsMessagesShort) {
  EXPECT_LT(refused("\"" + std::string(1'000'000, 'x')).message.size(), 400u);
}

TEST(LocatedJson, ChecksIntegers) {
  JsonDocument document(
      source("[0, 1, -1, -5, 18446744073709551615, 18446744073709551616, 1.0, -0]"), "test");
  auto e = document.root().elements("it");
  EXPECT_EQ(e[0].integer(0, 0, "it"), 0u);
  EXPECT_EQ(e[2].integer(-1, 0, "it"), ~uint64_t{0});
  EXPECT_EQ(e[4].integer(0, ~uint64_t{0}, "it"), ~uint64_t{0});
  EXPECT_EQ(e[7].integer(0, 5, "it"), 0u);
  EXPECT_THROW(e[0].integer(1, 5, "it"), InputError);
  EXPECT_THROW(e[1].integer(0, 0, "it"), InputError);
  EXPECT_THROW(e[2].integer(0, ~uint64_t{0}, "it"), InputError);
  EXPECT_THROW(e[3].integer(-4, 0, "it"), InputError);
  EXPECT_THROW(e[4].integer(0, 5, "it"), InputError);
  EXPECT_THROW(e[5].integer(0, ~uint64_t{0}, "it"), InputError);
  EXPECT_THROW(e[6].integer(0, 5, "it"), InputError);
}

TEST(LocatedJson, SuggestsTheNearestKey) {
  JsonDocument document(source("{\"bufer\": 1}"), "test");
  try {
    document.root().members("an argument", {"name", "buffer"});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].message,
              "an argument has no key \"bufer\"; did you mean \"buffer\"?");
  }
}

}  // namespace
}  // namespace warplock::executor
