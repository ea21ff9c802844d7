// The handed programs on the machine: the words that are expected, and the reference's trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "circuit/machine_exec.h"
#include "circuit/machine_test_support.h"
#include "ptx/parse.h"

namespace warplock::circuit {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(WARPLOCK_SOURCE_DIR) / "reference_interp/testdata/cases";

/// What the machine refuses, and why. Everything else must run.
const std::map<std::string, std::string> kRefused = {
    {"barrier_two_warps", "needs 16 warps a CTA"},
    {"cvt_f32_s32_round_zero", "floating point"},
    {"named_barrier_subset", "needs 16 warps a CTA"},
};
/// What means something else with 32 lanes in a warp.
const char* const kNeedsWideWarps = "shfl_reduce_32";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".ptx" && name != kNeedsWideWarps) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class MachineCases : public testing::TestWithParam<std::string> {};

TEST_P(MachineCases, GiveTheExpectedWordsAndTheReferencesTrace) {
  const std::string path = (kFolder / GetParam()).string();
  executor::Program program;
  program.ptx_path = path + ".ptx";
  program.module = ptx::parse(diagnostics::read_source(program.ptx_path));
  program.digest = "case";
  executor::Launch launch = executor::parse_launch(diagnostics::read_source(path + ".json"));
  launch.warp_width = 4;
  const auto refused = kRefused.find(GetParam());
  if (refused != kRefused.end()) {
    EXPECT_THAT(test_support::refusal(program, launch), testing::HasSubstr(refused->second));
    return;
  }
  EXPECT_EQ(test_support::disagreement(program, launch), "");
  const auto outcome = make_machine()->run(program, launch, trace::Level::kOff);
  ASSERT_TRUE(std::holds_alternative<executor::Execution>(outcome));
  for (const auto& [name, words] : std::get<executor::Execution>(outcome).outputs) {
    const auto expected = launch.expect.find(name);
    if (expected == launch.expect.end()) continue;
    EXPECT_EQ(words, expected->second) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MachineCases, testing::ValuesIn(case_names()),
                         [](const auto& param_info) { return param_info.param; });

TEST(MachineCaseFolder, HasAllCases) {
  EXPECT_EQ(case_names().size(), 89u);
}

}  // namespace
}  // namespace warplock::circuit
