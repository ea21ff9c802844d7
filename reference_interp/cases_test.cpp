#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "diagnostics/diagnostic.h"
#include "executor/launch.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"

/// The handed programs of testdata/cases, each a pitfall of PTX, at every width that its launch
/// names, with the schedule in order and permuted.
namespace warplock::reference_interp {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(WARPLOCK_SOURCE_DIR) / "reference_interp/testdata/cases";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, GiveTheExpectedWords) {
  const std::string path = (kFolder / GetParam()).string();
  executor::Program program;
  program.ptx_path = path + ".ptx";
  program.module = ptx::parse(diagnostics::read_source(program.ptx_path));
  program.digest = "case";
  const auto source = diagnostics::read_source(path + ".json");
  const executor::Launch read = executor::parse_launch(source);
  ASSERT_FALSE(read.expect.empty());
  const auto json = nlohmann::json::parse(source->text());
  for (uint32_t width : json["about"]["warp_widths"].get<std::vector<uint32_t>>()) {
    for (uint64_t seed : {0, 1, 2, 3}) {
      executor::Launch launch = read;
      launch.warp_width = width;
      Options options;
      options.permute_schedule = seed != 0;
      options.seed = seed;
      const auto outcome = make_reference(options)->run(program, launch, trace::Level::kRegisters);
      if (const auto* refusal = std::get_if<executor::Refusal>(&outcome)) {
        FAIL() << "width " << width << ": " << refusal->reason << "\n"
               << diagnostics::render(refusal->diagnostics);
      }
      const auto& execution = std::get<executor::Execution>(outcome);
      for (const auto& [name, words] : execution.outputs) {
        const auto expected = launch.expect.find(name);
        if (expected == launch.expect.end()) continue;
        EXPECT_EQ(words, expected->second) << name << " at width " << width << ", seed " << seed;
      }
      EXPECT_FALSE(execution.trace.events.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::ValuesIn(case_names()),
                         [](const auto& param_info) { return param_info.param; });

TEST(CaseFolder, HasAllCases) {
  EXPECT_EQ(case_names().size(), 90u);
}

}  // namespace
}  // namespace warplock::reference_interp
