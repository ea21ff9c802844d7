#include "suites/bundle.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "suites/judge.h"
#include "trace/store.h"

namespace warplock::suites {
namespace fs = std::filesystem;

namespace {

/// Names of kernels and inputs may come from users: only plain characters reach the file system.
std::string plain(std::string name) {
  for (char& c : name) {
    bool keep = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                c == '-' || c == '_';
    if (!keep) c = '_';
  }
  return name;
}

std::string shell_word(const std::string& path) {
  bool simple = path.find_first_of(" \t'\"\\$&;|<>()*?[]#~`!") == std::string::npos;
  if (simple) return path;
  std::string out = "'";
  for (char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

void write_bundle(const std::string& folder, const Case& test, CaseResult& result) {
  bool failed = std::any_of(result.tests.begin(), result.tests.end(),
                            [](const auto& t) { return is_failure(t.verdict); });
  if (!failed) return;
  fs::path home = fs::path(folder) / fmt::format("{}.{}.w{}", plain(test.kernel), plain(test.input),
                                                 test.launch.warp_width);
  std::string launch = (home / "launch.json").string();
  reports::make_folder(home.string());
  std::ofstream(launch) << executor::to_json(test.launch) << '\n';
  if (test.program.module) {
    std::ofstream(home / "kernel.ptx") << test.program.module->source->text();
  }
  for (const auto& [name, outcome] : result.outcomes) {
    const auto* execution = std::get_if<executor::Execution>(&outcome);
    if (!execution || execution->trace.level == trace::Level::kOff) continue;
    std::ofstream out(home / (plain(name) + ".trace"));
    trace::write(out, execution->trace);
  }
  std::string program = test.program.cuda_path.value_or((home / "kernel.ptx").string());
  for (reports::TestResult& t : result.tests) {
    if (!is_failure(t.verdict)) continue;
    t.reproduce =
        fmt::format("warplock run {} --launch {} --on {}", shell_word(program), shell_word(launch),
                    t.executor == "reference" ? t.executor : "reference," + t.executor);
  }
}

}  // namespace warplock::suites
