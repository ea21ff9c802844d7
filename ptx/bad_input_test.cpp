#include <chrono>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ptx/parse.h"
#include "ptx/test_support.h"

/// Broken inputs: refused with a class and a place, quickly, whatever the bytes.
namespace warplock::ptx {
namespace {

double seconds_of(const std::function<void()>& action) {
  auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string repeated(std::string_view part, size_t count) {
  std::string text;
  text.reserve(part.size() * count);
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(BadInput, FilesAreRefusedWithTheirClassAndLine) {
  auto expected = nlohmann::json::parse(read_test_file("ptx/testdata/bad/expected.json"));
  ASSERT_EQ(expected.size(), files_in("ptx/testdata/bad", ".ptx").size());
  for (const auto& one : expected) {
    std::string name = one["name"];
    auto found = refusal(read_test_file("ptx/testdata/bad/" + name + ".ptx"));
    if (one["class"].is_null()) {
      EXPECT_TRUE(found.empty()) << name;
      continue;
    }
    ASSERT_FALSE(found.empty()) << name;
    EXPECT_EQ(found.front().klass, one["class"]) << name;
    EXPECT_EQ(found.front().position.line, one["line"]) << name;
    EXPECT_GT(found.front().position.column, 0u) << name;
  }
}

TEST(BadInput, ModuleWithoutTheEntryHasNone) {
  auto module = parse_text(read_test_file("ptx/testdata/bad/missing_entry.ptx"));
  EXPECT_EQ(module->find_entry("k"), nullptr);
  EXPECT_EQ(module->find_entry("f"), nullptr) << "a device function is no entry";
}

TEST(BadInput, MessagesNameTheCulprit) {
  auto message = [](const std::string& name) {
    return refusal(read_test_file("ptx/testdata/bad/" + name + ".ptx")).at(0).message;
  };
  EXPECT_THAT(message("undefined_register"), testing::HasSubstr("%r9"));
  EXPECT_THAT(message("undefined_label"), testing::HasSubstr("NOWHERE"));
  EXPECT_THAT(message("unknown_opcode"), testing::HasSubstr("frobnicate"));
  EXPECT_THAT(message("bad_modifier"), testing::HasSubstr(".hi"));
  EXPECT_THAT(message("wrong_type_operand"), testing::HasSubstr("%f1"));
  EXPECT_THAT(message("no_version_header"), testing::HasSubstr(".version"));
  EXPECT_THAT(message("float64_on_integer_machine"), testing::HasSubstr("f64"));
  EXPECT_THAT(message("duplicate_label"), testing::HasSubstr("line 16"));
}

TEST(BadInput, SeveralErrorsAreReportedInOrder) {
  auto found = refusal(module_around("add.u32 r1, r2, zz;\nbra X;\nfrob r1;\nadd.u32 r1, r2 r3;"));
  std::vector<std::string> classes;
  for (const auto& one : found) classes.push_back(one.klass);
  EXPECT_THAT(classes, testing::ElementsAre("undefined symbol", "undefined symbol",
                                            "unknown opcode", "syntax"));
}

TEST(BadInput, AtMostTwentyErrors) {
  EXPECT_EQ(refusal(module_around(repeated("frob r1;\n", 100))).size(), 20u);
  EXPECT_EQ(refusal(module_around(repeated("frob r1;\n", 19))).size(), 19u);
}

TEST(BadInput, ErrorAfterAStatementDoesNotSwallowTheNext) {
  auto found = refusal(module_around("add.u32 r1, r2, zz;\nadd.u32 r1, r2, yy;"));
  EXPECT_EQ(found.size(), 2u);
}

TEST(BadInput, LongValidLineIsAcceptedQuickly) {
  std::string text = module_around(repeated("add.u32 r1, r1, r2; ", 65'000));
  ASSERT_GT(text.size(), 1'300'000u);
  double seconds = seconds_of([&] { EXPECT_EQ(refusal_class(text), "ok"); });
  EXPECT_LT(seconds, 10);
}

TEST(BadInput, LongLinesOfJunkAreRefusedQuickly) {
  for (std::string_view part : {"\x82", "a", "(", "{", "[", ".x", "1", "1+", "%", "a:", "@ ", "/*",
                                "\"", "- ", "a b ", ";"}) {
    std::string junk = repeated(part, 5'000'000 / part.size());
    for (const std::string& text :
         {junk, module_around(junk), module_around("", junk), module_around("add.u32 r1, " + junk),
          module_around("", ".global .u32 a[2] = " + junk)}) {
      double seconds = seconds_of([&] { EXPECT_NE(refusal_class(text), "ok") << part; });
      EXPECT_LT(seconds, 10) << part;
    }
  }
}

TEST(BadInput, DeepNestingIsRefusedNotOverflowing) {
  EXPECT_EQ(refusal_class(module_around(repeated("{", 200) + repeated("}", 200))), "ok");
  EXPECT_EQ(refusal_class(module_around(repeated("{", 100'000) + repeated("}", 100'000))),
            "resource limit");
  EXPECT_EQ(refusal_class(module_around("add.u32 r1, " + repeated("(", 100'000) + "1;")),
            "resource limit");
  EXPECT_EQ(refusal_class(module_around("add.u32 r1, " + repeated("-", 100'000) + "1, r2;")),
            "resource limit");
  EXPECT_EQ(refusal_class(module_around("", ".global .u32 a" + repeated("[1]", 1000) + ";")),
            "resource limit");
}

TEST(BadInput, ManyNamesInManyScopesAreNoTrouble) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) body += "{ .param .b32 x; .reg .b32 y; L: bra L; }\n";
  double seconds = seconds_of([&] { EXPECT_EQ(refusal_class(module_around(body)), "ok"); });
  EXPECT_LT(seconds, 10);
}

TEST(BadInput, LimitsAreChecked) {
  auto registers = [](uint32_t count) {
    return module_around("", fmt::format(".entry e() {{ .reg .b32 x<{}>; }}", count));
  };
  EXPECT_EQ(refusal_class(registers(kMaxRegistersPerFunction)), "ok");
  EXPECT_EQ(refusal_class(registers(kMaxRegistersPerFunction + 1)), "resource limit");
  auto shared = [](uint64_t size) {
    return module_around("", fmt::format(".shared .b8 a[{}];", size));
  };
  EXPECT_EQ(refusal_class(shared(kMaxSharedVariableBytes - 64)), "ok");
  EXPECT_EQ(refusal_class(shared(kMaxSharedVariableBytes - 63)), "resource limit") << "together";
  EXPECT_EQ(refusal_class(module_around("", ".global .b8 a[1099511627776];")), "resource limit");
  EXPECT_EQ(refusal_class(module_around("", ".global .b64 a[1048576][1048576];")),
            "resource limit");
  EXPECT_EQ(refusal_class(module_around("", ".entry e(.param .b8 a[32764]) { ret; }")), "ok");
  EXPECT_EQ(
      refusal_class(module_around("", ".entry e(.param .b8 a[32764], .param .b8 b) { ret; }")),
      "resource limit");
}

TEST(BadInput, EveryPrefixOfAModuleIsRefusedOrAModule) {
  std::string text = read_test_file("ptx/testdata/bad/float64_on_integer_machine.ptx") +
                     module_around("@p bra L; L: call (r1), df, (r2, d1);").substr(47);
  for (size_t length = 0; length < text.size(); ++length) refusal(text.substr(0, length));
}

}  // namespace
}  // namespace warplock::ptx
