#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "executor/executor.h"
#include "executor/external.h"
#include "suites/runner.h"

namespace warplock::cli {

/// One executor of this build, and why it is missing here (empty when it is not).
struct KnownExecutor {
  std::string name;
  std::string about;
  std::string missing;
};
std::vector<KnownExecutor> known_executors();

/// The options that `run` and `suite` share: which executors, where external ones are defined, how
/// long they may take.
class ExecutorOptions {
 public:
  void add_to(CLI::App& command);

  /// The names to run, in the order asked for and without repetition; every available one by
  /// default. Throws `Unavailable` for one asked for by name, `Usage` for a name that nobody has.
  std::vector<std::string> names(bool have_cuda);
  /// Makes executors in processes of their own.
  suites::Factory factory();
  /// Name, version and device of each of `names`, as the report lists them.
  std::vector<reports::ExecutorInfo> describe(const std::vector<std::string>& names);

 private:
  const executor::ExternalDefinition& external(const std::string& name);
  void load_definitions();

  std::string list_;
  std::string definitions_file_;
  double timeout_seconds_ = 60;
  bool loaded_ = false;
  std::map<std::string, executor::ExternalDefinition> definitions_;
};

}  // namespace warplock::cli
