#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "ptx/cuda_builtins_text.h"
#include "ptx/cuda_compilers.h"
#include "ptx/subprocess.h"

namespace warplock::ptx {
namespace {

constexpr double kCompileSeconds = 60;

struct Clang {
  std::string path;         ///< empty when there is none
  std::string version;      ///< "clang 19.1.7"
  std::string why_missing;  ///< empty when it can be used
};

Clang probe(const std::string& path) {
  Clang clang{path, "", ""};
  const ProcessResult version = run_process({path, "--version"}, 10);
  const size_t at = version.output.find("clang version ");
  if (version.exit_status != 0 || version.signal != 0 || at == std::string::npos) {
    clang.why_missing = fmt::format("{} does not answer --version as clang does", path);
    return clang;
  }
  const size_t begin = at + std::strlen("clang version ");
  clang.version =
      "clang " + version.output.substr(begin, version.output.find_first_of(" \n-+", begin) - begin);
  if (run_process({path, "--print-targets"}, 10).output.find("nvptx64") == std::string::npos) {
    clang.why_missing = fmt::format("{} was built without the NVPTX target", path);
  }
  return clang;
}

Clang find_clang() {
  if (const char* given = std::getenv("WARPLOCK_CLANG"); given != nullptr && *given != '\0') {
    const auto path = find_program(given);
    if (!path) return {"", "", fmt::format("WARPLOCK_CLANG names {}, which is no program", given)};
    return probe(*path);
  }
  Clang last{"", "",
             "neither clang-19 nor clang is in PATH: install clang 19 or set WARPLOCK_CLANG"};
  for (const char* name : {"clang-19", "clang"}) {
    const auto path = find_program(name);
    if (!path) continue;
    last = probe(*path);
    if (last.why_missing.empty()) break;
  }
  return last;
}

/// What is found for one setting of the environment stays so: probing takes two processes.
Clang clang() {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Clang> found;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const std::lock_guard lock(mutex);
  const auto key = std::make_pair(variable("WARPLOCK_CLANG"), variable("PATH"));
  auto place = found.find(key);
  if (place == found.end()) place = found.emplace(key, find_clang()).first;
  return place->second;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? text.str() : std::string();
}

std::vector<std::string> command_line(const Clang& compiler, const std::string& input,
                                      const std::string& builtins, ClangOutput output,
                                      const std::string& output_path) {
  std::vector<std::string> command = {
      compiler.path,
      "-x",
      "cuda",
      "--cuda-device-only",
      // The first architecture with everything that the built-ins use: redux.sync needs sm_80.
      "--cuda-gpu-arch=sm_80",
      "-Xclang",
      "-target-feature",
      "-Xclang",
      "+ptx75",
      // A toolkit that happens to be installed must not change the result.
      "--cuda-path=/nonexistent",
      "-nocudainc",
      "-nocudalib",
      "-include",
      builtins,
      "-std=c++17",
      "-O2",
      "-gline-tables-only",
      // Small PTX whose memory accesses are those of the source: no copies of loop bodies, no
      // stores turned into memset or memcpy.
      "-fno-unroll-loops",
      "-fno-vectorize",
      "-fno-slp-vectorize",
      "-fno-builtin",
      "-w",
      "-ferror-limit=20",
      "-fno-caret-diagnostics",
      "-fno-color-diagnostics",
      "-fno-crash-diagnostics",
      "-o",
      output_path,
  };
  if (output == ClangOutput::kPtx) {
    command.push_back("-S");
  } else {
    command.insert(command.end(), {"-c", "-emit-llvm"});
  }
  // A name that begins with a dash is a file all the same.
  command.push_back(input.front() == '-' ? "./" + input : input);
  return command;
}

std::string last_lines(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : "..." + text.substr(text.size() - kMost);
}

}  // namespace

std::string why_clang_missing() {
  return clang().why_missing;
}

std::string clang_version() {
  const Clang compiler = clang();
  return compiler.why_missing.empty() ? compiler.version : "";
}

std::string compile_with_clang(const diagnostics::SourceText& source, ClangOutput output) {
  const Clang compiler = clang();
  if (!compiler.why_missing.empty()) throw std::runtime_error(compiler.why_missing);

  const TemporaryFolder folder;
  const std::string builtins = folder.file("cuda_builtins.h");
  std::ofstream(builtins, std::ios::binary) << cuda_builtins_text();
  const std::string written = folder.file("out");
  const ProcessResult result = run_process(
      command_line(compiler, source.name(), builtins, output, written), kCompileSeconds);

  if (result.timed_out) {
    throw std::runtime_error(fmt::format("{} did not finish {} within {} seconds", compiler.version,
                                         source.name(), kCompileSeconds));
  }
  if (result.signal != 0) {
    throw std::runtime_error(fmt::format("{} was ended by signal {} ({}) on {}", compiler.version,
                                         result.signal, strsignal(result.signal), source.name()));
  }
  if (result.exit_status != 0) {
    if (result.output.find("PLEASE submit a bug report") != std::string::npos) {
      throw std::runtime_error(fmt::format("{} crashed on {}: {}", compiler.version, source.name(),
                                           last_lines(result.output)));
    }
    std::vector<diagnostics::Diagnostic> messages =
        parse_clang_messages(result.output, source, builtins);
    if (!messages.empty()) throw diagnostics::InputError(std::move(messages));
    throw std::runtime_error(fmt::format("{} failed on {} with exit status {}: {}",
                                         compiler.version, source.name(), result.exit_status,
                                         last_lines(result.output)));
  }
  std::string text = read_file(written);
  if (text.empty()) {
    throw std::runtime_error(
        fmt::format("{} wrote nothing for {}", compiler.version, source.name()));
  }
  return text;
}

}  // namespace warplock::ptx
