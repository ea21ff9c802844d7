#include "cli/executors.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "executor/isolated.h"
#include "native_exec/native.h"

namespace warplock::cli {
namespace {

constexpr const char* kExternalPrefix = "external:";
constexpr const char* kDefaultDefinitions = "executors.json";

bool is_external(const std::string& name) {
  return name.rfind(kExternalPrefix, 0) == 0;
}

/// The command line of a worker: this very program, whatever it is called.
std::vector<std::string> worker_command(const std::string& name) {
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(),
                                   "worker"};
  size_t hash = name.find('#');
  command.push_back(name.substr(0, hash));
  if (hash != std::string::npos) {
    command.push_back("--schedule");
    command.push_back(name.substr(hash + 1));
  }
  return command;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<KnownExecutor> known_executors() {
  return {{"reference", "the SIMT interpreter of PTX", ""},
          {"native", "the kernel's CUDA C through clang and LLVM's x86 code generator",
           native_exec::why_missing()},
          {"machine", "the emulator of the kernel's machine blocks (warps of 4 lanes)", ""}};
}

void ExecutorOptions::add_to(CLI::App& command) {
  command
      .add_option(
          "--on", list_,
          "Comma list of reference, native, machine, external:NAME, or all (every one available)")
      ->type_name("LIST");
  command.add_option("--executors", definitions_file_, "Definitions of external executors")
      ->type_name("FILE")
      ->default_str(kDefaultDefinitions);
  command
      .add_option("--timeout", timeout_seconds_,
                  "Seconds that one executor may take for one launch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

std::vector<std::string> ExecutorOptions::names(bool have_cuda) {
  std::vector<std::string> wanted = list_.empty() ? std::vector<std::string>{"all"} : split(list_);
  std::vector<KnownExecutor> known = known_executors();
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    if (name == "all") {
      for (const KnownExecutor& k : known) {
        if (k.missing.empty() && (have_cuda || k.name != "native")) add_once(names, k.name);
      }
      continue;
    }
    if (is_external(name)) {
      external(name);
      add_once(names, name);
      continue;
    }
    auto found = std::find_if(known.begin(), known.end(),
                              [&](const KnownExecutor& k) { return k.name == name; });
    if (found == known.end()) {
      static const std::vector<std::string> later{"model", "hardware", "recorded"};
      if (std::find(later.begin(), later.end(), name) != later.end()) {
        throw Unavailable(fmt::format("this version has no executor '{}'", name));
      }
      std::vector<std::string> all;
      for (const KnownExecutor& k : known) all.push_back(k.name);
      throw Usage(fmt::format("unknown executor '{}'; known are {}, external:NAME and all", name,
                              fmt::join(all, ", ")));
    }
    if (!found->missing.empty()) {
      throw Unavailable(
          fmt::format("the executor '{}' is not available: {}", name, found->missing));
    }
    add_once(names, name);
  }
  if (names.empty()) throw Usage("no executor to run on");
  return names;
}

void ExecutorOptions::load_definitions() {
  if (loaded_) return;
  loaded_ = true;
  std::string file = definitions_file_.empty() ? kDefaultDefinitions : definitions_file_;
  if (definitions_file_.empty() && !std::filesystem::exists(file)) return;
  definitions_ = executor::parse_external_definitions(diagnostics::read_source(file));
}

const executor::ExternalDefinition& ExecutorOptions::external(const std::string& name) {
  load_definitions();
  auto found = definitions_.find(name.substr(std::string(kExternalPrefix).size()));
  if (found == definitions_.end()) {
    throw Unavailable(
        fmt::format("'{}' is not defined in {}", name,
                    definitions_file_.empty() ? kDefaultDefinitions : definitions_file_));
  }
  return found->second;
}

suites::Factory ExecutorOptions::factory() {
  load_definitions();
  return [this](const std::string& name) {
    if (is_external(name)) return executor::make_external(external(name));
    return executor::isolate(worker_command(name), timeout_seconds_);
  };
}

std::vector<reports::ExecutorInfo> ExecutorOptions::describe(
    const std::vector<std::string>& names) {
  std::vector<reports::ExecutorInfo> infos;
  suites::Factory make = factory();
  for (const std::string& name : names) {
    std::unique_ptr<executor::Executor> executor = make(name);
    reports::ExecutorInfo info{name, executor->version(), std::nullopt};
    if (!executor->device().empty()) info.device = executor->device();
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace warplock::cli
