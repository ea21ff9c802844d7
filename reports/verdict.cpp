#include <algorithm>

#include "reports/report.h"

namespace warplock::reports {

std::string_view spelling(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kMismatch:
      return "mismatch";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kFlaky:
      return "flaky";
    case Verdict::kWaived:
      return "waived";
    case Verdict::kUnexpectedPass:
      return "unexpected-pass";
  }
  return "inconclusive";
}

size_t Report::count(Verdict verdict) const {
  return static_cast<size_t>(std::count_if(
      tests.begin(), tests.end(), [&](const TestResult& t) { return t.verdict == verdict; }));
}

int exit_status(const Report& report, bool strict) {
  auto any = [&](Verdict verdict) { return report.count(verdict) > 0; };
  if (any(Verdict::kMismatch) || any(Verdict::kFlaky) || any(Verdict::kUnexpectedPass)) return 1;
  bool fault = std::any_of(report.tests.begin(), report.tests.end(),
                           [](const TestResult& t) { return t.fault; });
  if (fault) return 3;
  if (any(Verdict::kCrash) || any(Verdict::kTimeout) || any(Verdict::kInconclusive)) return 5;
  if (strict && any(Verdict::kUnsupported)) return 1;
  return report.tests.empty() ? 5 : 0;
}

}  // namespace warplock::reports
