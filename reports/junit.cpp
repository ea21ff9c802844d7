#include <map>

#include <fmt/format.h>

#include "reports/report.h"

namespace warplock::reports {
namespace {

/// XML 1.0 allows no control character but tab and the line ends, escaped or not.
std::string escape(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) ? '?'
                                                                                              : c;
    }
  }
  return out;
}

enum class Outcome { kPassed, kSkipped, kFailed, kError };

Outcome outcome(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
    case Verdict::kWaived:
      return Outcome::kPassed;
    case Verdict::kUnsupported:
      return Outcome::kSkipped;
    case Verdict::kMismatch:
    case Verdict::kFlaky:
    case Verdict::kUnexpectedPass:
      return Outcome::kFailed;
    case Verdict::kCrash:
    case Verdict::kTimeout:
    case Verdict::kInconclusive:
      return Outcome::kError;
  }
  return Outcome::kError;
}

std::string test_case(const TestResult& t) {
  std::string out = fmt::format(
      "  <testcase classname=\"{}.{}\" name=\"{} width {} {} against {}\" time=\"{:.6f}\"",
      escape(t.family.empty() ? "launch" : t.family), escape(t.kernel), escape(t.input),
      t.warp_width, escape(t.executor), escape(t.against), t.seconds);
  std::string reason = escape(t.reason.value_or(""));
  std::string body = escape(t.explanation.value_or(""));
  if (t.reproduce) body += "&#10;reproduce: " + escape(*t.reproduce);
  std::string_view verdict = spelling(t.verdict);
  switch (outcome(t.verdict)) {
    case Outcome::kPassed:
      return out + "/>\n";
    case Outcome::kSkipped:
      return out + fmt::format("><skipped message=\"{}\"/></testcase>\n", reason);
    case Outcome::kFailed:
      return out + fmt::format("><failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                               verdict, reason, body);
    case Outcome::kError:
      return out + fmt::format("><error type=\"{}\" message=\"{}\">{}</error></testcase>\n",
                               verdict, reason, body);
  }
  return out;
}

struct Suite {
  std::string cases;
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

}  // namespace

std::string to_junit(const Report& report) {
  std::map<std::string, Suite> suites;
  Suite total;
  for (const TestResult& t : report.tests) {
    Suite& suite = suites[t.kernel];
    suite.cases += test_case(t);
    for (Suite* s : {&suite, &total}) {
      ++s->tests;
      s->seconds += t.seconds;
      s->failures += outcome(t.verdict) == Outcome::kFailed;
      s->errors += outcome(t.verdict) == Outcome::kError;
      s->skipped += outcome(t.verdict) == Outcome::kSkipped;
    }
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.6f}\">\n",
      escape("warplock " + report.command), total.tests, total.failures, total.errors,
      total.seconds);
  for (const auto& entry : suites) {
    const Suite& s = entry.second;
    out += fmt::format(
        " <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.6f}\" timestamp=\"{}\">\n{} </testsuite>\n",
        escape(entry.first), s.tests, s.failures, s.errors, s.skipped, s.seconds,
        escape(report.started), s.cases);
  }
  return out + "</testsuites>\n";
}

}  // namespace warplock::reports
