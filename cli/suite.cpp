#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/compiler_option.h"
#include "cli/executors.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "suites/bundle.h"
#include "suites/kernels/kernel.h"
#include "suites/program.h"
#include "suites/runner.h"

namespace warplock::cli {
namespace {

struct Options {
  std::string filter = "*", report;
  std::vector<uint32_t> widths{4, 32};
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned schedules = 0;
  uint64_t seed = 1;
  bool json = false, strict = false;
  ExecutorOptions executors;
  CompilerOption compiler;
};

/// A glob on the kernel's name, or on KERNEL/INPUT when it has a slash.
bool chosen(const std::string& glob, const std::string& kernel, const std::string& input) {
  std::string subject = glob.find('/') == std::string::npos ? kernel : kernel + "/" + input;
  return fnmatch(glob.c_str(), subject.c_str(), 0) == 0;
}

std::vector<suites::Case> chosen_cases(const Options& options) {
  std::vector<suites::Case> cases;
  for (const suites::Kernel& kernel : suites::all_kernels()) {
    for (const suites::KernelInput& input : kernel.inputs()) {
      if (!chosen(options.filter, kernel.name, input.name)) continue;
      for (uint32_t width : options.widths) {
        suites::Case test;
        test.kernel = kernel.name;
        test.family = kernel.family;
        test.input = input.name;
        test.launch = suites::make_launch(kernel, input, width);
        test.launch.expect = suites::host_result(kernel, test.launch);
        test.expect_source = "host function";
        cases.push_back(std::move(test));
      }
    }
  }
  return cases;
}

/// Compiles each kernel once, whichever of its cases comes first.
class Programs {
 public:
  Programs(ptx::CudaCompiler compiler, std::string folder)
      : compiler_(compiler), folder_(std::move(folder)) {
    for (const suites::Kernel& kernel : suites::all_kernels()) {
      paths_[kernel.name] = suites::kernel_path(kernel);
      entries_[kernel.name];
    }
  }
  void prepare(suites::Case& test) {
    Entry& entry = entries_.at(test.kernel);
    std::lock_guard<std::mutex> lock(entry.mutex);
    if (!entry.program) {
      entry.program = suites::load_program(paths_.at(test.kernel), compiler_, folder_);
    }
    test.program = *entry.program;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<executor::Program> program;
  };
  ptx::CudaCompiler compiler_;
  std::string folder_;
  std::map<std::string, std::string> paths_;
  std::map<std::string, Entry> entries_;
};

int run(Options& options) {
  auto start = std::chrono::steady_clock::now();
  std::vector<suites::Case> cases = chosen_cases(options);
  if (cases.empty())
    throw Usage(fmt::format("no kernel of the suite matches '{}'", options.filter));
  suites::RunOptions run;
  run.executors = options.executors.names(true);
  run.jobs = std::max(1u, options.jobs);
  run.schedules = options.schedules;
  run.seed = options.seed;

  reports::Report report;
  report.command = "suite kernels";
  report.version = version();
  report.seed = options.seed;
  report.started = now_utc();
  report.executors = options.executors.describe(run.executors);

  suites::TemporaryFolder temporary;
  std::string ptx_folder = temporary.path();
  std::optional<reports::Journal> journal;
  if (!options.report.empty()) {
    journal.emplace(options.report);
    ptx_folder = options.report + "/ptx";
    reports::make_folder(ptx_folder);
  }
  Programs programs(options.compiler.get(), ptx_folder);
  Progress progress(cases.size(), "launches");
  report.tests = suites::run_all(
      std::move(cases), [&](suites::Case& test) { programs.prepare(test); },
      options.executors.factory(), run,
      [&](const suites::Case& test, suites::CaseResult& result) {
        if (journal) {
          suites::write_bundle(options.report + "/failures", test, result);
          for (const reports::TestResult& t : result.tests) journal->add(t);
        }
        progress.advance(test.kernel);
      });
  report.seconds = seconds_since(start);
  if (!options.report.empty()) reports::write_folder(report, options.report);
  fmt::print("{}", options.json ? reports::to_json(report) + "\n"
                                : reports::to_terminal(report, use_color(1)));
  if (!options.report.empty() && !options.json) fmt::print("report: {}\n", options.report);
  return reports::exit_status(report, options.strict);
}

}  // namespace

void add_suite(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* suite = app.add_subcommand("suite", "A suite of tests on every executor");
  suite->require_subcommand(1);
  CLI::App* command = suite->add_subcommand(
      "kernels", "Every kernel of the suite on every executor, traces compared");
  options->executors.add_to(*command);
  command->add_option("--filter", options->filter, "Kernels whose name matches, or KERNEL/INPUT")
      ->type_name("GLOB");
  command->add_option("--jobs", options->jobs, "Launches at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--report", options->report, "Folder for the report")->type_name("DIR");
  command->add_option("--widths", options->widths, "Warp widths")
      ->delimiter(',')
      ->check(CLI::IsMember({4, 32}))
      ->capture_default_str();
  options->compiler.add_to(*command);
  command
      ->add_option("--schedules", options->schedules,
                   "Interleavings under which the reference runs every launch too")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of the interleavings")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->add_flag("--strict", options->strict, "An unsupported test fails");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace warplock::cli
