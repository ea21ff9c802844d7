// Every lowering rule, against the reference interpreter, on corner values and random ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "circuit/lowering.h"
#include "circuit/machine_test_support.h"
#include "circuit/rules.h"
#include "circuit/rules_test_snippets.h"

namespace warplock::circuit {
namespace {

using test_support::buffer;
using testing::HasSubstr;

constexpr uint32_t kThreads = 6;       // a warp and a half
constexpr uint32_t kIn = 8, kOut = 8;  // words a thread

/// A kernel around the snippet: %a0 to %a3, %q0 and %q1, %h0 and %h1 and %p0 and %p1 hold inputs,
/// %o0, %o1, %q4, %h4 and %p4 take results, as `results` says by their letters.
std::string kernel(const Snippet& snippet) {
  std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.func (.param .b32 r) twice(.param .b32 x) {
.reg .b32 %y; ld.param.b32 %y, [x]; add.u32 %y, %y, %y; st.param.b32 [r], %y; ret; }
.func (.param .b64 r) wide(.param .b64 x) {
.reg .b64 %y; ld.param.b64 %y, [x]; add.u64 %y, %y, 9; st.param.b64 [r], %y; ret; }
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %a<8>, %o<8>, %t<8>; .reg .f32 %f; .reg .b64 %q<8>, %in, %out, %d<8>;
.shared .align 8 .b8 sh[64];
mov.u32 %t0, %tid.x;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mul.wide.u32 %d2, %t0, 32;
add.u64 %in, %d0, %d2; add.u64 %out, %d1, %d2;
)";
  const std::string body = snippet.text;
  const auto uses = [&](const char* name) { return body.find(name) != std::string::npos; };
  for (int k = 0; k < 4; ++k) {
    const bool wide = uses("%q0") || uses("%q1");
    if (wide || uses(fmt::format("%a{}", k).c_str()) || uses(fmt::format("%h{}", k).c_str()) ||
        uses(fmt::format("%p{}", k).c_str())) {
      text += fmt::format("ld.global.u32 %a{0}, [%in+{1}];\n", k, 4 * k);
    }
  }
  if (uses("%q0")) text += "mov.b64 %q0, {%a0, %a1};\n";
  if (uses("%q1")) text += "mov.b64 %q1, {%a2, %a3};\n";
  for (int k = 0; k < 2; ++k) {
    if (uses(fmt::format("%h{}", k).c_str())) text += fmt::format("cvt.u16.u32 %h{0}, %a{0};\n", k);
    if (uses(fmt::format("%p{}", k).c_str())) {
      text += fmt::format("and.b32 %t1, %a{0}, 1; setp.ne.u32 %p{0}, %t1, 0;\n", k);
    }
  }
  const std::string results = snippet.results;
  const auto has = [&](char letter) { return results.find(letter) != std::string::npos; };
  if (has('o')) text += "mov.u32 %o0, 7;\n";
  if (has('2')) text += "mov.u32 %o1, 8;\n";
  text += body + "\n";
  if (has('o')) text += "st.global.u32 [%out], %o0;\n";
  if (has('2')) text += "st.global.u32 [%out+4], %o1;\n";
  if (has('q')) text += "st.global.u64 [%out+8], %q4;\n";
  if (has('h')) text += "cvt.u32.u16 %t2, %h4; st.global.u32 [%out+16], %t2;\n";
  if (has('p')) text += "selp.u32 %t3, 5, 6, %p4; st.global.u32 [%out+20], %t3;\n";
  return text + "ret;\n}\n";
}

executor::Launch make_launch(uint64_t seed, uint32_t threads) {
  executor::Launch launch = test_support::launch_of("k", {1, 1, 1}, {threads, 1, 1});
  launch.arguments = {buffer("in", test_support::interesting_words(kIn * threads, seed)),
                      buffer("out", std::vector<uint32_t>(kOut * threads, 0x5a5a5a5a)),
                      test_support::scalar("n", 9)};
  return launch;
}

/// Enough machine for the longest rule.
uint32_t threads_of(const Snippet& snippet) {
  return snippet.whole_warps ? 8 : kThreads;
}

class Rules : public testing::TestWithParam<size_t> {};

TEST_P(Rules, AgreeWithTheReference) {
  const Snippet& snippet = snippets()[GetParam()];
  const executor::Program program = test_support::program_of(kernel(snippet));
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const std::string wrong =
        test_support::disagreement(program, make_launch(seed, threads_of(snippet)));
    ASSERT_EQ(wrong, "") << snippet.rule << ", seed " << seed << "\n" << snippet.text;
  }
}

TEST_P(Rules, AreTheOnesMeant) {
  const Snippet& snippet = snippets()[GetParam()];
  const executor::Program program = test_support::program_of(kernel(snippet));
  const LoweringResult result =
      lower(program.module, make_launch(0, threads_of(snippet)), MachineSpec{});
  ASSERT_TRUE(std::holds_alternative<Lowered>(result)) << std::get<DoesNotFit>(result).reason;
  EXPECT_THAT(std::get<Lowered>(result).rules, testing::Contains(snippet.rule));
}

INSTANTIATE_TEST_SUITE_P(All, Rules, testing::Range(size_t{0}, snippets().size()),
                         [](const auto& param_info) {
                           std::string name = snippets()[param_info.param].rule;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return fmt::format("{}_{}", param_info.index, name);
                         });

/// Rules that only say what the machine does not have.
const struct {
  const char *rule, *text, *reason;
} kRefusing[] = {
    {"atom.width", "atom.global.add.u64 %q4, [%in], %q0;", "atomics of this width"},
    {"red.width", "red.global.add.u64 [%in], %q0;", "atomics of this width"},
    {"bar.arrive", "bar.arrive 1, 32;", "without waiting"},
};

TEST(RuleTable, EveryRuleIsTested) {
  std::set<std::string> tested;
  for (const Snippet& snippet : snippets()) tested.insert(snippet.rule);
  for (const auto& refusing : kRefusing) tested.insert(refusing.rule);
  std::set<std::string> known;
  for (const Rule& rule : all_rules()) {
    EXPECT_TRUE(known.insert(std::string(rule.name)).second) << rule.name << " is there twice";
    EXPECT_TRUE(tested.count(std::string(rule.name)) != 0) << rule.name << " is not tested";
  }
  for (const std::string& name : tested) {
    EXPECT_TRUE(known.count(name) != 0) << "there is no rule " << name;
  }
}

TEST(RuleTable, SaysByNameWhatTheMachineDoesNotHave) {
  for (const auto& refusing : kRefusing) {
    const executor::Program program =
        test_support::program_of(kernel({refusing.rule, refusing.text, ""}));
    EXPECT_THAT(test_support::refusal(program, make_launch(0, 4)), HasSubstr(refusing.reason));
  }
}

}  // namespace
}  // namespace warplock::circuit
