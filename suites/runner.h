#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executor/executor.h"
#include "reports/report.h"
#include "suites/case.h"
#include "trace/event.h"

/// Runs cases on executors and judges what comes back.
namespace warplock::suites {

/// Makes an executor by name. "reference" must be among the names it knows; "reference#N" is the
/// reference under the permuted schedule drawn from seed N. Called once per name and job; what it
/// gives must survive crashes (executor/isolated.h).
using Factory = std::function<std::unique_ptr<executor::Executor>(const std::string& name)>;

struct RunOptions {
  std::vector<std::string> executors;  ///< in the order of the report
  trace::Level level = trace::Level::kRegisters;
  unsigned jobs = 1;
  unsigned schedules = 0;  ///< further interleavings under which the reference runs every case
  uint64_t seed = 1;
};

/// Everything one case gave: a result per executor, and the outcomes they were judged from.
struct CaseResult {
  std::vector<reports::TestResult> tests;
  std::vector<std::pair<std::string, executor::Outcome>> outcomes;  ///< the reference's first
};

/// Runs one case. The reference always runs, since the others are compared with it; it has a test
/// of its own when it was asked for: against `launch.expect` where there is one, else against
/// itself under another schedule. A mismatch is run a second time: when it is gone, the verdict is
/// flaky.
class CaseRunner {
 public:
  CaseRunner(Factory factory, RunOptions options);
  ~CaseRunner();
  CaseResult run(const Case& test);

 private:
  executor::Outcome execute(const std::string& name, const Case& test);
  void run_schedules(const Case& test, const executor::Outcome& reference, CaseResult& result);

  Factory factory_;
  RunOptions options_;
  std::vector<std::pair<std::string, std::unique_ptr<executor::Executor>>> executors_;
};

/// Runs all cases on `options.jobs` threads. `prepare` fills in the program of a case on one of
/// them, so that the compilation of kernels is spread too; when it throws `InputError` the tests of
/// that case are inconclusive and a `fault`. `done` is called for each case as it ends, by one
/// thread at a time; it may add to the results. Returns the tests in the order of the cases.
std::vector<reports::TestResult> run_all(std::vector<Case> cases,
                                         const std::function<void(Case&)>& prepare,
                                         const Factory& factory, const RunOptions& options,
                                         const std::function<void(const Case&, CaseResult&)>& done);

}  // namespace warplock::suites
