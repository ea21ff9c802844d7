#include <gtest/gtest.h>

#include "executor/external.h"
#include "executor/launch.h"

namespace warplock::executor {
namespace {

std::string text_of(const std::string& path) {
  return std::string(diagnostics::read_source(std::string(WARPLOCK_SOURCE_DIR "/") + path)->text());
}

/// The first block of that language in a manual.
std::string first_block(const std::string& manual, const std::string& language) {
  std::string text = text_of(manual);
  std::string fence = "```" + language + "\n";
  size_t begin = text.find(fence);
  if (begin == std::string::npos) return {};
  begin += fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(Manual, HasALaunchThatCanBeRead) {
  auto source = std::make_shared<const diagnostics::SourceText>(
      "docs/launch.md", first_block("docs/launch.md", "json"));
  EXPECT_EQ(parse_launch(source).entry, "dot");
}

TEST(Manual, HasADefinitionThatCanBeRead) {
  auto source = std::make_shared<const diagnostics::SourceText>(
      "docs/external-executors.md", first_block("docs/external-executors.md", "json"));
  EXPECT_EQ(parse_external_definitions(source).count("mygpu"), 1u);
}

TEST(Manual, ShowsTheExampleAsItIs) {
  EXPECT_EQ(first_block("docs/external-executors.md", "python"),
            text_of("executor/examples/tiny_executor.py"));
}

}  // namespace
}  // namespace warplock::executor
