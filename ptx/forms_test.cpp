#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/module_difference.h"
#include "ptx/print.h"
#include "ptx/test_support.h"

/// The accepted and refused one-liners of testdata/forms: `CLASS | line`, where CLASS is "ok" or
/// the class of the refusal. ptxas agrees with every line but those with a comment that begins with
/// "ptxas"; what we call unsupported, ptxas accepts.
namespace warplock::ptx {
namespace {

struct Line {
  std::string klass;
  std::string text;
  bool ptxas_differs = false;
};

std::vector<Line> lines_of(const std::string& path) {
  std::vector<Line> lines;
  std::stringstream file(read_test_file(path));
  for (std::string line; std::getline(file, line);) {
    size_t bar = line.find('|');
    if (bar == std::string::npos) {
      ADD_FAILURE() << path << ": no '|' in " << line;
      continue;
    }
    std::string klass = line.substr(0, line.find_last_not_of(' ', bar - 1) + 1);
    lines.push_back({klass, line.substr(bar + 2), line.find("// ptxas") != std::string::npos});
  }
  return lines;
}

class Forms : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Line> lines_ = lines_of(GetParam());
  bool declares() const { return GetParam().find("declarations") != std::string::npos; }
  std::string module(const Line& line) const {
    return declares() ? module_around("", line.text) : module_around(line.text);
  }
};

TEST_P(Forms, AreAcceptedOrRefusedWithTheirClass) {
  ASSERT_GT(lines_.size(), 20u);
  for (const Line& line : lines_) {
    std::vector<diagnostics::Diagnostic> found = refusal(module(line));
    std::string klass = found.empty() ? "ok" : found.front().klass;
    EXPECT_EQ(klass, line.klass) << line.text << diagnostics::render(found);
  }
}

TEST_P(Forms, ArePrintedAndReadBack) {
  for (const Line& line : lines_) {
    if (line.klass != "ok") continue;
    std::shared_ptr<const Module> parsed = parse_text(module(line));
    std::string printed = print(*parsed);
    EXPECT_EQ(first_difference(*parsed, *parse_text(printed)), "") << line.text << "\n" << printed;
  }
}

/// Instructions go to ptxas all at once, each in its own braces; only when it dislikes (or falls
/// over) that, one by one. Declarations would get in each other's way.
TEST_P(Forms, AreAcceptedByPtxasToo) {
  std::string ptxas = find_ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas of the CUDA toolkit is neither in PATH nor installed";
  std::vector<std::string> modules;
  std::string together;
  for (const Line& line : lines_) {
    if (line.klass != "ok" || line.ptxas_differs) continue;
    modules.push_back(module(line));
    together += fmt::format("{{ {}\n}}\n", line.text);
  }
  if (!declares()) {
    std::string all = module_around(together);
    if (ptxas_errors(ptxas, all).empty() && ptxas_errors(ptxas, print(*parse_text(all))).empty()) {
      return;
    }
  }
  for (const std::string& text : modules) {
    EXPECT_EQ(ptxas_errors(ptxas, text), "") << text;
    std::string printed = print(*parse_text(text));
    EXPECT_EQ(ptxas_errors(ptxas, printed), "") << printed;
  }
}

TEST_P(Forms, AreRefusedByPtxasToo) {
  std::string ptxas = find_ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "ptxas of the CUDA toolkit is neither in PATH nor installed";
  for (const Line& line : lines_) {
    if (line.klass == "ok" || line.ptxas_differs) continue;
    std::string errors = ptxas_errors(ptxas, module(line));
    EXPECT_EQ(errors.empty(), line.klass == "unsupported") << line.text << "\n" << errors;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Forms, testing::ValuesIn(files_in("ptx/testdata/forms", ".txt")),
                         [](const auto& suite) {
                           std::string name = suite.param.substr(suite.param.rfind('/') + 1);
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace warplock::ptx
