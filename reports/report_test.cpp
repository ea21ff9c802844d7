#include "reports/report.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "diagnostics/diagnostic.h"

namespace warplock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TestResult result(Verdict verdict, const std::string& executor = "native") {
  TestResult t;
  t.kernel = "dot";
  t.family = "reduction";
  t.input = "corner-0";
  t.warp_width = 4;
  t.executor = executor;
  t.against = "reference";
  t.verdict = verdict;
  t.compared_events = verdict == Verdict::kPass ? 123 : 0;
  if (verdict != Verdict::kPass) t.reason = "because";
  return t;
}

Report report_of(std::vector<TestResult> tests) {
  Report report;
  report.command = "suite kernels";
  report.version = "1.0";
  report.executors = {{"reference", "1.0", std::nullopt}, {"hardware", "1.0", "a GPU"}};
  report.tests = std::move(tests);
  return report;
}

TEST(ExitStatus, FollowsTheContract) {
  auto status = [](std::vector<TestResult> tests, bool strict = false) {
    return exit_status(report_of(std::move(tests)), strict);
  };
  EXPECT_EQ(status({result(Verdict::kPass)}), 0);
  EXPECT_EQ(status({result(Verdict::kPass), result(Verdict::kMismatch)}), 1);
  EXPECT_EQ(status({result(Verdict::kFlaky)}), 1);
  EXPECT_EQ(status({result(Verdict::kUnexpectedPass)}), 1);
  EXPECT_EQ(status({result(Verdict::kCrash), result(Verdict::kPass)}), 5);
  EXPECT_EQ(status({result(Verdict::kTimeout)}), 5);
  EXPECT_EQ(status({result(Verdict::kInconclusive)}), 5);
  EXPECT_EQ(status({result(Verdict::kCrash), result(Verdict::kMismatch)}), 1);
  EXPECT_EQ(status({result(Verdict::kUnsupported), result(Verdict::kPass)}), 0);
  EXPECT_EQ(status({result(Verdict::kUnsupported), result(Verdict::kPass)}, true), 1);
  EXPECT_EQ(status({}), 5);
  TestResult fault = result(Verdict::kInconclusive);
  fault.fault = true;
  EXPECT_EQ(status({fault, result(Verdict::kCrash)}), 3);
}

TEST(Json, HasTheShapeOfTheContract) {
  Report report = report_of({result(Verdict::kPass), result(Verdict::kUnsupported)});
  report.outputs["reference"]["out"] = {32};
  nlohmann::json json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["command"], "suite kernels");
  EXPECT_EQ(json["executors"][0]["device"], nullptr);
  EXPECT_EQ(json["executors"][1]["device"], "a GPU");
  EXPECT_EQ(json["tests"][0]["verdict"], "pass");
  EXPECT_EQ(json["tests"][0]["reason"], nullptr);
  EXPECT_EQ(json["tests"][0]["compared_events"], 123);
  EXPECT_EQ(json["tests"][1]["reason"], "because");
  EXPECT_EQ(json["summary"],
            nlohmann::json({{"kernels", 1}, {"tests", 2}, {"pass", 1}, {"unsupported", 1}}));
  EXPECT_EQ(json["outputs"]["reference"]["out"], nlohmann::json({32}));
}

TEST(Json, SurvivesBytesThatAreNotUtf8) {
  TestResult t = result(Verdict::kCrash);
  t.reason = "worker said \xff\xfe";
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(report_of({t}))));
}

TEST(Junit, TellsFailuresErrorsAndSkipsApartAndEscapes) {
  TestResult mismatch = result(Verdict::kMismatch);
  mismatch.reason = "a < b & \"c\"\x01";
  std::string xml = to_junit(report_of(
      {result(Verdict::kPass), mismatch, result(Verdict::kCrash), result(Verdict::kUnsupported)}));
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("a &lt; b &amp; &quot;c&quot;?"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"crash\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"because\"/>"));
}

TEST(Terminal, ShowsTheMatrixAndTheFirstFailureInFull) {
  TestResult mismatch = result(Verdict::kMismatch);
  mismatch.explanation = "the one line that is wrong\n";
  mismatch.reproduce = "warplock run dot.cu";
  std::string text = to_terminal(report_of({result(Verdict::kPass), mismatch}), false);
  EXPECT_THAT(text, HasSubstr("1/2 pass"));
  EXPECT_THAT(text, HasSubstr("the one line that is wrong"));
  EXPECT_THAT(text, HasSubstr("reproduce: warplock run dot.cu"));
  EXPECT_THAT(text, HasSubstr("1 pass  1 mismatch"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Terminal, ListsEachReasonOfUnsupportedOnce) {
  std::string text =
      to_terminal(report_of({result(Verdict::kUnsupported), result(Verdict::kUnsupported)}), false);
  EXPECT_THAT(text, HasSubstr("unsupported on native (2): because"));
}

std::string slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Folder, HoldsReportJournalAndJunit) {
  std::string folder = ::testing::TempDir() + "/warplock-report/nested";
  std::filesystem::remove_all(folder);
  Report report = report_of({result(Verdict::kPass)});
  {
    Journal journal(folder);
    journal.add(report.tests[0]);
    // On disk while the journal is still open.
    EXPECT_EQ(slurp(folder + "/results.jsonl"), to_json_line(report.tests[0]) + "\n");
  }
  write_folder(report, folder);
  EXPECT_EQ(slurp(folder + "/report.json"), to_json(report) + "\n");
  EXPECT_EQ(slurp(folder + "/junit.xml"), to_junit(report));
  EXPECT_FALSE(std::filesystem::exists(folder + "/report.json.tmp"));
}

TEST(Folder, ThatCannotBeWrittenIsAnInputError) {
  EXPECT_THROW(write_folder(report_of({}), "/proc/no-such-folder"), diagnostics::InputError);
}

}  // namespace
}  // namespace warplock::reports
