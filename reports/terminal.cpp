#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "reports/report.h"

namespace warplock::reports {
namespace {

constexpr size_t kMaxListedFailures = 12;

/// One cell of the matrix: what happened to the tests of one family on one executor at one width.
struct Cell {
  size_t tests = 0, passed = 0, unsupported = 0;
  uint64_t events = 0;

  void add(const TestResult& t) {
    ++tests;
    passed += t.verdict == Verdict::kPass;
    unsupported += t.verdict == Verdict::kUnsupported;
    events += t.compared_events;
  }
  bool green() const { return passed + unsupported == tests; }
  std::string text() const {
    if (tests == 0) return "-";
    if (unsupported == tests) return fmt::format("{} unsupported", tests);
    std::string out =
        passed == tests ? fmt::format("{} pass", passed) : fmt::format("{}/{} pass", passed, tests);
    if (unsupported) out += fmt::format(", {} unsup.", unsupported);
    return out;
  }
};

std::string with_commas(uint64_t n) {
  std::string digits = std::to_string(n), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string paint(const std::string& text, const char* code, bool color) {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

const char* color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "32";
    case Verdict::kUnsupported:
    case Verdict::kWaived:
      return "33";
    default:
      return "1;31";
  }
}

std::string matrix(const Report& report, bool color) {
  using Column = std::tuple<std::string, std::string, uint32_t>;  // executor, against, width
  std::map<std::string, std::map<Column, Cell>> rows;
  std::map<std::string, std::set<std::string>> kernels;
  std::vector<Column> columns;
  std::map<Column, Cell> totals;
  for (const TestResult& t : report.tests) {
    Column column{t.executor, t.against, t.warp_width};
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      columns.push_back(column);
    std::string row = t.family.empty() ? t.kernel : t.family;
    rows[row][column].add(t);
    kernels[row].insert(t.kernel);
    totals[column].add(t);
  }
  std::sort(columns.begin(), columns.end());
  std::string out = fmt::format("{:<14}{:>8}", "", "kernels");
  for (const Column& c : columns)
    out += fmt::format("  {:>24}", fmt::format("{} w{}", std::get<0>(c), std::get<2>(c)));
  out += fmt::format("\n{:<14}{:>8}", "compared with", "");
  for (const Column& c : columns) out += fmt::format("  {:>24}", std::get<1>(c));
  out += '\n';
  auto line = [&](const std::string& name, size_t count, std::map<Column, Cell>& cells,
                  bool events) {
    out += fmt::format("{:<14}{:>8}", name.substr(0, 14), count);
    for (const Column& c : columns) {
      const Cell& cell = cells[c];
      out += "  " + paint(fmt::format("{:>24}", cell.text()), cell.green() ? "32" : "1;31", color);
    }
    out += '\n';
    if (!events) return;
    out += fmt::format("{:<22}", "compared events");
    for (const Column& c : columns) out += fmt::format("  {:>24}", with_commas(cells[c].events));
    out += '\n';
  };
  size_t all = 0;
  for (auto& row : rows) {
    line(row.first, kernels[row.first].size(), row.second, false);
    all += kernels[row.first].size();
  }
  line("total", all, totals, true);
  return out;
}

std::string failures(const Report& report, bool color) {
  std::vector<const TestResult*> red;
  for (const TestResult& t : report.tests) {
    if (t.verdict != Verdict::kPass && t.verdict != Verdict::kUnsupported &&
        t.verdict != Verdict::kWaived) {
      red.push_back(&t);
    }
  }
  std::string out;
  for (size_t i = 0; i < std::min(red.size(), kMaxListedFailures); ++i) {
    const TestResult& t = *red[i];
    out +=
        fmt::format("\n{} {} {} width {}: {} against {}: {}\n",
                    paint(std::string(spelling(t.verdict)), color_of(t.verdict), color), t.kernel,
                    t.input, t.warp_width, t.executor, t.against, t.reason.value_or(""));
    // The first failure is shown in full, the others in a line: one screen, and the report has all.
    if (i == 0 && t.explanation) out += *t.explanation;
    if (t.reproduce) out += fmt::format("  reproduce: {}\n", *t.reproduce);
  }
  if (red.size() > kMaxListedFailures) {
    out += fmt::format("\n... and {} more, in report.json\n", red.size() - kMaxListedFailures);
  }
  return out;
}

/// Unsupported tests by reason: one line each, with how many.
std::string unsupported(const Report& report) {
  std::map<std::pair<std::string, std::string>, size_t> reasons;
  for (const TestResult& t : report.tests) {
    if (t.verdict == Verdict::kUnsupported) ++reasons[{t.executor, t.reason.value_or("")}];
  }
  std::string out;
  for (const auto& entry : reasons) {
    out += fmt::format("unsupported on {} ({}): {}\n", entry.first.first, entry.second,
                       entry.first.second);
  }
  return out;
}

}  // namespace

std::string to_terminal(const Report& report, bool color) {
  std::set<std::string> kernels;
  for (const TestResult& t : report.tests) kernels.insert(t.kernel);
  std::string out =
      fmt::format("warplock {}: {} kernel{}, {} tests, seed {}\n", report.command, kernels.size(),
                  kernels.size() == 1 ? "" : "s", report.tests.size(), report.seed);
  for (const ExecutorInfo& e : report.executors) {
    out += fmt::format("  {:<14} {}{}\n", e.name, e.version, e.device ? " on " + *e.device : "");
  }
  out += '\n' + matrix(report, color);
  if (std::string text = unsupported(report); !text.empty()) out += '\n' + text;
  out += failures(report, color);
  out += '\n';
  for (int v = 0; v <= static_cast<int>(Verdict::kUnexpectedPass); ++v) {
    Verdict verdict = static_cast<Verdict>(v);
    size_t n = report.count(verdict);
    if (n || verdict == Verdict::kPass) {
      out +=
          paint(fmt::format("{} {}", n, spelling(verdict)), color_of(verdict), color && n) + "  ";
    }
  }
  return out + fmt::format("in {:.1f} s\n", report.seconds);
}

}  // namespace warplock::reports
