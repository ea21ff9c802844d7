#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Results of a command, in the shape that interfaces fix: report.json, junit.xml, the terminal.
namespace warplock::reports {

/// Only `kPass` is green.
enum class Verdict {
  kPass,
  kMismatch,
  kCrash,
  kTimeout,
  kUnsupported,
  kInconclusive,
  kFlaky,
  kWaived,
  kUnexpectedPass
};
std::string_view spelling(Verdict verdict);  ///< "unexpected-pass"

struct ExecutorInfo {
  std::string name;
  std::string version;
  std::optional<std::string> device;
};

/// One test on one pair of executors.
struct TestResult {
  std::string kernel;
  std::string family;  ///< may be empty
  std::string input;
  uint32_t warp_width = 0;
  std::string executor;
  std::string against;  ///< "reference", "host", "expect", "reference (permuted)"
  Verdict verdict = Verdict::kInconclusive;
  uint64_t compared_events = 0;
  uint64_t order_dependent_events = 0;
  double seconds = 0;
  std::optional<std::string> reason;       ///< one line; always there unless the verdict is pass
  std::optional<std::string> explanation;  ///< the first divergence, several lines
  std::optional<std::string> reproduce;    ///< a command
  /// The program itself is wrong (out of bounds, a race, ...): nothing could be compared.
  bool fault = false;
};

struct Report {
  std::string command;
  std::string version;
  uint64_t seed = 1;
  std::string started;  ///< UTC, ISO 8601
  double seconds = 0;
  std::vector<ExecutorInfo> executors;
  std::vector<TestResult> tests;
  /// `run` only: buffers by executor and argument.
  std::map<std::string, std::map<std::string, std::vector<uint32_t>>> outputs;

  size_t count(Verdict verdict) const;
};

/// The exit status of interfaces, the first that applies: 1 for a mismatch, a flaky test or an
/// unexpected pass; 3 for a program that is itself wrong (`fault`); 5 for a crash, a timeout or an
/// inconclusive test, since nothing was shown to agree; 1 for an unsupported one with `strict`; and
/// 5 when there is no test at all. Otherwise 0.
int exit_status(const Report& report, bool strict);

/// The JSON object of interfaces, indented. Bytes that are not UTF-8 are replaced.
std::string to_json(const Report& report);
/// One test as one line of JSON, as in the `tests` of `to_json`.
std::string to_json_line(const TestResult& test);
/// JUnit XML as Jenkins and GitLab read it: one suite per kernel, one case per test.
std::string to_junit(const Report& report);
/// One screen: what was tested, on what, the matrix of kernel families x executors with counts of
/// compared events, what failed and where.
std::string to_terminal(const Report& report, bool color);

/// Writes report.json and junit.xml into `folder` (made when missing), each by writing a temporary
/// file and renaming it. Throws `InputError` (class "file") when that fails.
void write_folder(const Report& report, const std::string& folder);

/// Makes a folder and its parents. Throws `InputError` (class "file").
void make_folder(const std::string& folder);

/// FOLDER/results.jsonl: every result as soon as it is known, so that a killed run loses nothing.
class Journal {
 public:
  /// Starts an empty journal. Throws `InputError` (class "file").
  explicit Journal(const std::string& folder);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void add(const TestResult& test);

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace warplock::reports
