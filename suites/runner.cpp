#include "suites/runner.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "suites/judge.h"

namespace warplock::suites {
namespace {

using executor::Execution;
using executor::Outcome;
using executor::Refusal;
using reports::TestResult;
using reports::Verdict;

constexpr const char* kReference = "reference";

Outcome fault(const diagnostics::InputError& error) {
  Refusal refusal;
  refusal.kind = Refusal::Kind::kFault;
  refusal.reason = error.diagnostics().front().message;
  refusal.diagnostics = error.diagnostics();
  return refusal;
}

Outcome unsupported(std::string reason) {
  Refusal refusal;
  refusal.kind = Refusal::Kind::kUnsupported;
  refusal.reason = std::move(reason);
  return refusal;
}

/// What the executor's own description rules out, before it is asked.
std::optional<std::string> ruled_out(const executor::Capabilities& can, const Case& test) {
  if (test.launch.warp_width == 4 && !can.width4) return "it has no 4-lane warps";
  if (test.launch.warp_width == 32 && !can.width32) return "it has no 32-lane warps";
  if (can.needs_cuda && !test.program.cuda_path) {
    return "it runs CUDA C, and the kernel was given as PTX";
  }
  return std::nullopt;
}

/// The tests of a case whose program could not be made, one for each executor.
CaseResult unprepared(const RunOptions& options, const Case& test, const Outcome& why) {
  CaseResult result;
  for (const std::string& name : options.executors) {
    Named subject{name, why};
    result.tests.push_back(judge_expected(test, subject));
  }
  return result;
}

}  // namespace

CaseRunner::CaseRunner(Factory factory, RunOptions options)
    : factory_(std::move(factory)), options_(std::move(options)) {}

CaseRunner::~CaseRunner() = default;

Outcome CaseRunner::execute(const std::string& name, const Case& test) {
  auto found = std::find_if(executors_.begin(), executors_.end(),
                            [&](const auto& entry) { return entry.first == name; });
  if (found == executors_.end()) {
    executors_.emplace_back(name, factory_(name));
    found = executors_.end() - 1;
  }
  executor::Executor& executor = *found->second;
  executor::Capabilities can = executor.capabilities();
  if (auto why = ruled_out(can, test)) return unsupported(*why);
  try {
    return executor.run(test.program, test.launch, std::min(options_.level, can.max_level));
  } catch (const diagnostics::InputError& error) {
    return fault(error);
  }
}

void CaseRunner::run_schedules(const Case& test, const Outcome& reference, CaseResult& result) {
  bool own_test_needed = test.launch.expect.empty();
  unsigned schedules = std::max(options_.schedules, own_test_needed ? 1u : 0u);
  if (schedules == 0) return;
  TestResult all;
  for (unsigned i = 0; i < schedules; ++i) {
    std::string name = fmt::format("{}#{}", kReference, options_.seed + i);
    Outcome other = execute(name, test);
    TestResult one = judge_against(test, {kReference, reference}, {name, other});
    uint64_t compared = all.compared_events + one.compared_events;
    uint64_t open = all.order_dependent_events + one.order_dependent_events;
    all = one;
    all.compared_events = compared;
    all.order_dependent_events = open;
    if (one.verdict != Verdict::kPass) break;
  }
  all.against = schedules == 1 ? "reference, other schedule"
                               : fmt::format("reference, {} schedules", schedules);
  result.tests.push_back(std::move(all));
}

CaseResult CaseRunner::run(const Case& test) {
  CaseResult result;
  result.outcomes.reserve(options_.executors.size() + 1);  // so that `reference` stays in place
  result.outcomes.emplace_back(kReference, execute(kReference, test));
  const Outcome& reference = result.outcomes.front().second;
  for (const std::string& name : options_.executors) {
    if (name == kReference) {
      bool refused = std::holds_alternative<Refusal>(reference);
      if (refused || !test.launch.expect.empty()) {
        result.tests.push_back(judge_expected(test, {name, reference}));
      }
      if (!refused) run_schedules(test, reference, result);
      continue;
    }
    result.outcomes.emplace_back(name, execute(name, test));
    TestResult judged =
        judge_against(test, {name, result.outcomes.back().second}, {kReference, reference});
    if (judged.verdict == Verdict::kMismatch) {
      Outcome again = execute(name, test);
      TestResult second = judge_against(test, {name, again}, {kReference, reference});
      if (second.verdict == Verdict::kPass) {
        judged.verdict = Verdict::kFlaky;
        judged.reason = "agreed when run again; the first time: " + judged.reason.value_or("");
      }
    }
    result.tests.push_back(std::move(judged));
  }
  return result;
}

std::vector<TestResult> run_all(std::vector<Case> cases, const std::function<void(Case&)>& prepare,
                                const Factory& factory, const RunOptions& options,
                                const std::function<void(const Case&, CaseResult&)>& done) {
  std::vector<std::vector<TestResult>> results(cases.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // of this program, not of an executor: it ends the run

  auto run_one = [&](CaseRunner& runner, Case& test) {
    try {
      prepare(test);
    } catch (const diagnostics::InputError& error) {
      return unprepared(options, test, fault(error));
    }
    return runner.run(test);
  };
  auto work = [&] {
    CaseRunner runner(factory, options);
    for (size_t i = next++; i < cases.size(); i = next++) {
      try {
        CaseResult result = run_one(runner, cases[i]);
        std::lock_guard<std::mutex> lock(mutex);
        done(cases[i], result);
        results[i] = std::move(result.tests);
      } catch (...) {
        std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        next = cases.size();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);

  std::vector<TestResult> tests;
  for (auto& part : results) {
    tests.insert(tests.end(), std::make_move_iterator(part.begin()),
                 std::make_move_iterator(part.end()));
  }
  return tests;
}

}  // namespace warplock::suites
