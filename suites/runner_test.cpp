#include "suites/runner.h"

#include <atomic>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "suites/judge.h"

namespace warplock::suites {
namespace {

using executor::Execution;
using executor::Outcome;
using executor::Refusal;
using reports::TestResult;
using reports::Verdict;
using ::testing::HasSubstr;

/// An execution of a one-thread kernel that stores `word` to out[0].
Execution stores(uint32_t word) {
  Execution execution;
  execution.outputs = {{"out", {word}}};
  trace::Trace& t = execution.trace;
  t.kernel = "k";
  t.launch_digest = "launch";
  t.program_digest = "program";
  t.level = trace::Level::kMemory;
  t.warp_width = 4;
  t.instructions = {{0, 7, 3, "st.global.u32 [%rd1], %r1;"}};
  t.objects = {{"out", trace::Space::kGlobal, 0, 4, 0}};
  trace::Event event;
  event.kind = trace::EventKind::kStore;
  event.space = trace::Space::kGlobal;
  event.width = 4;
  event.value = word;
  t.events = {event};
  return execution;
}

Refusal refusal(Refusal::Kind kind, const std::string& klass = {}) {
  Refusal r;
  r.kind = kind;
  r.reason = "the reason";
  if (!klass.empty()) {
    r.diagnostics = {
        {diagnostics::Severity::kError, klass, "what happened", "k.ptx", {7, 5}, "line"}};
  }
  return r;
}

/// Answers what the test says: the n-th call of any instance gets the n-th outcome, the last again.
class Fake : public executor::Executor {
 public:
  Fake(std::string name, std::vector<Outcome> outcomes, executor::Capabilities can = {})
      : name_(std::move(name)), outcomes_(std::move(outcomes)), can_(can) {}
  std::string name() const override { return name_; }
  std::string version() const override { return "1"; }
  executor::Capabilities capabilities() const override { return can_; }
  Outcome run(const executor::Program&, const executor::Launch&, trace::Level) override {
    Outcome outcome = outcomes_[std::min(calls_, outcomes_.size() - 1)];
    ++calls_;
    return outcome;
  }

 private:
  std::string name_;
  std::vector<Outcome> outcomes_;
  executor::Capabilities can_;
  size_t calls_ = 0;
};

Case a_case(std::map<std::string, std::vector<uint32_t>> expect = {}) {
  Case test;
  test.kernel = "k";
  test.input = "i";
  test.launch.entry = "k";
  test.launch.warp_width = 4;
  test.launch.expect = std::move(expect);
  return test;
}

Factory factory_of(std::map<std::string, std::vector<Outcome>> outcomes,
                   executor::Capabilities can = {}) {
  return [outcomes, can](const std::string& name) -> std::unique_ptr<executor::Executor> {
    // "reference#1" is another schedule of the same fake unless the test says more.
    auto found = outcomes.find(name);
    if (found == outcomes.end()) found = outcomes.find(name.substr(0, name.find('#')));
    return std::make_unique<Fake>(name, found->second,
                                  name == "reference" ? executor::Capabilities{} : can);
  };
}

CaseResult run(const Factory& factory, std::vector<std::string> names, const Case& test) {
  RunOptions options;
  options.executors = std::move(names);
  return CaseRunner(factory, options).run(test);
}

TestResult run_native(Outcome native, const Case& test = a_case(), Outcome reference = stores(32)) {
  return run(factory_of({{"reference", {reference}}, {"native", {native}}}), {"native"}, test)
      .tests.at(0);
}

TEST(Runner, PassesWhenTracesAgreeAndCountsTheEvents) {
  TestResult result = run_native(stores(32));
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.compared_events, 1u);
  EXPECT_EQ(result.against, "reference");
  EXPECT_FALSE(result.reason);
}

TEST(Runner, ExplainsTheFirstDivergence) {
  TestResult result = run_native(stores(31));
  EXPECT_EQ(result.verdict, Verdict::kMismatch);
  ASSERT_TRUE(result.explanation);
  EXPECT_THAT(*result.explanation, HasSubstr("st.global.u32"));
}

TEST(Runner, AMismatchThatGoesAwayIsFlaky) {
  auto factory = factory_of({{"reference", {stores(32)}}, {"native", {stores(31), stores(32)}}});
  TestResult result = run(factory, {"native"}, a_case()).tests.at(0);
  EXPECT_EQ(result.verdict, Verdict::kFlaky);
}

TEST(Runner, ComparesWithTheExpectedBuffersToo) {
  TestResult result = run_native(stores(32), a_case({{"out", {33}}}));
  EXPECT_EQ(result.verdict, Verdict::kMismatch);
  EXPECT_EQ(result.against, "expect");
  EXPECT_THAT(*result.reason, HasSubstr("out[0] is 32 (0x20), expect says 33 (0x21)"));
}

TEST(Runner, TheReferenceIsJudgedByTheExpectedBuffers) {
  auto factory = factory_of({{"reference", {stores(32)}}});
  CaseResult good = run(factory, {"reference"}, a_case({{"out", {32}}}));
  ASSERT_EQ(good.tests.size(), 1u);
  EXPECT_EQ(good.tests[0].verdict, Verdict::kPass);
  EXPECT_EQ(good.tests[0].compared_events, 1u);
  EXPECT_EQ(run(factory, {"reference"}, a_case({{"out", {5}}})).tests[0].verdict,
            Verdict::kMismatch);
}

TEST(Runner, WithoutExpectationTheReferenceIsRunUnderAnotherSchedule) {
  auto same = factory_of({{"reference", {stores(32)}}});
  CaseResult result = run(same, {"reference"}, a_case());
  ASSERT_EQ(result.tests.size(), 1u);
  EXPECT_EQ(result.tests[0].verdict, Verdict::kPass);
  EXPECT_EQ(result.tests[0].against, "reference, other schedule");
  auto other = factory_of({{"reference", {stores(32)}}, {"reference#1", {stores(33)}}});
  EXPECT_EQ(run(other, {"reference"}, a_case()).tests[0].verdict, Verdict::kMismatch);
}

TEST(Runner, ReferenceAgainstManySchedulesAddsUp) {
  RunOptions options;
  options.executors = {"reference"};
  options.schedules = 3;
  CaseResult result =
      CaseRunner(factory_of({{"reference", {stores(32)}}}), options).run(a_case({{"out", {32}}}));
  ASSERT_EQ(result.tests.size(), 2u);
  EXPECT_EQ(result.tests[1].against, "reference, 3 schedules");
  EXPECT_EQ(result.tests[1].compared_events, 3u);
}

TEST(Runner, NothingComparedIsInconclusive) {
  Execution empty = stores(32);
  empty.trace.events.clear();
  empty.outputs.clear();
  EXPECT_EQ(run_native(empty, a_case(), empty).verdict, Verdict::kInconclusive);
}

TEST(Runner, RefusalsOfTheSubjectKeepTheirKind) {
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kUnsupported)).verdict, Verdict::kUnsupported);
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kCrash)).verdict, Verdict::kCrash);
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kTimeout)).verdict, Verdict::kTimeout);
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kError)).verdict, Verdict::kInconclusive);
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kFault, "out of bounds")).verdict,
            Verdict::kMismatch);
  EXPECT_EQ(run_native(refusal(Refusal::Kind::kFault, "step limit")).verdict, Verdict::kTimeout);
}

TEST(Runner, AFaultOfTheReferenceIsTheProgramsOwn) {
  TestResult result = run_native(stores(32), a_case(), refusal(Refusal::Kind::kFault, "data race"));
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(result.fault);
  EXPECT_THAT(*result.reason, HasSubstr("data race: what happened (k.ptx:7:5)"));
  EXPECT_THAT(*result.explanation, HasSubstr("k.ptx:7:5: error: what happened"));
}

TEST(Runner, AFaultIsReportedOnceAsTheReferenceFoundIt) {
  auto factory = factory_of({{"reference", {refusal(Refusal::Kind::kFault, "deadlock")}}});
  CaseResult result = run(factory, {"reference"}, a_case());
  ASSERT_EQ(result.tests.size(), 1u);
  EXPECT_TRUE(result.tests[0].fault);
  EXPECT_EQ(result.tests[0].verdict, Verdict::kInconclusive);
  EXPECT_THAT(*result.tests[0].reason, HasSubstr("deadlock"));
}

TEST(Runner, ACrashOfTheReferenceIsNobodysPass) {
  EXPECT_EQ(run_native(stores(32), a_case(), refusal(Refusal::Kind::kCrash)).verdict,
            Verdict::kInconclusive);
}

TEST(Runner, CapabilitiesRuleOutBeforeRunning) {
  executor::Capabilities can;
  can.width4 = false;
  auto factory = factory_of({{"reference", {stores(32)}}, {"native", {stores(32)}}}, can);
  EXPECT_EQ(run(factory, {"native"}, a_case()).tests[0].verdict, Verdict::kUnsupported);
  can = {};
  can.needs_cuda = true;
  factory = factory_of({{"reference", {stores(32)}}, {"native", {stores(32)}}}, can);
  EXPECT_EQ(run(factory, {"native"}, a_case()).tests[0].verdict, Verdict::kUnsupported);
}

TEST(RunAll, KeepsTheOrderOfTheCasesWhateverTheThreads) {
  std::vector<Case> cases(50, a_case({{"out", {32}}}));
  for (size_t i = 0; i < cases.size(); ++i) cases[i].kernel = fmt::format("k{}", i);
  RunOptions options;
  options.executors = {"reference", "native"};
  options.jobs = 4;
  size_t done = 0;
  auto tests = run_all(
      cases, [](Case&) {}, factory_of({{"reference", {stores(32)}}, {"native", {stores(32)}}}),
      options, [&](const Case&, CaseResult&) { ++done; });
  ASSERT_EQ(tests.size(), 100u);
  EXPECT_EQ(done, 50u);
  for (size_t i = 0; i < tests.size(); ++i) EXPECT_EQ(tests[i].kernel, fmt::format("k{}", i / 2));
}

TEST(RunAll, ACaseThatCannotBePreparedCostsOnlyItself) {
  std::vector<Case> cases(2, a_case({{"out", {32}}}));
  cases[0].kernel = "broken";
  RunOptions options;
  options.executors = {"reference"};
  auto tests = run_all(
      cases,
      [](Case& test) {
        if (test.kernel == "broken") {
          throw diagnostics::InputError(
              {diagnostics::Severity::kError, "CUDA", "no such thing", "broken.cu", {3, 1}, ""});
        }
      },
      factory_of({{"reference", {stores(32)}}}), options, [](const Case&, CaseResult&) {});
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_TRUE(tests[0].fault);
  EXPECT_EQ(tests[0].verdict, Verdict::kInconclusive);
  EXPECT_EQ(tests[1].verdict, Verdict::kPass);
}

}  // namespace
}  // namespace warplock::suites
