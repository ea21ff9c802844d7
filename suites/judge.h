#pragma once

#include <string>

#include "executor/executor.h"
#include "reports/report.h"
#include "suites/case.h"

/// From outcomes to verdicts. Nothing here runs anything.
namespace warplock::suites {

/// The outcome of one executor, by name.
struct Named {
  std::string name;
  const executor::Outcome& outcome;
};

/// Compares the buffers with `launch.expect`; the words compared are the events counted.
reports::TestResult judge_expected(const Case& test, const Named& subject);

/// Compares with another executor's execution: traces as deep as both go, buffers too; then with
/// `launch.expect` where there is one. A fault of `baseline` makes the test inconclusive and a
/// `fault`: a program that is wrong has no defined result. A fault of `subject` alone is a
/// mismatch.
reports::TestResult judge_against(const Case& test, const Named& subject, const Named& baseline);

/// Whether the verdict is one that a report lists as a failure.
bool is_failure(reports::Verdict verdict);

}  // namespace warplock::suites
