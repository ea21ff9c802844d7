#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/compiler_option.h"
#include "cli/executors.h"
#include "cli/version.h"
#include "suites/bundle.h"
#include "suites/judge.h"
#include "suites/program.h"
#include "suites/runner.h"
#include "trace/store.h"

namespace warplock::cli {
namespace {

struct Options {
  std::string file, launch, out, level = "registers";
  unsigned schedules = 0;
  uint64_t seed = 1;
  bool json = false, strict = false;
  ExecutorOptions executors;
  CompilerOption compiler;
};

trace::Level level_of(const std::string& name) {
  if (name == "off") return trace::Level::kOff;
  return name == "memory" ? trace::Level::kMemory : trace::Level::kRegisters;
}

suites::Case make_case(const Options& options, const std::string& ptx_folder) {
  suites::Case test;
  test.launch = executor::parse_launch(diagnostics::read_source(options.launch));
  ptx::CudaCompiler compiler = ptx::CudaCompiler::kClang;
  if (std::filesystem::path(options.file).extension() == ".cu") compiler = options.compiler.get();
  test.program = suites::load_program(options.file, compiler, ptx_folder);
  test.kernel = test.launch.entry;
  test.input = std::filesystem::path(options.launch).stem().string();
  return test;
}

void write_traces(const std::string& folder, const suites::CaseResult& result) {
  for (const auto& [name, outcome] : result.outcomes) {
    const auto* execution = std::get_if<executor::Execution>(&outcome);
    if (!execution || execution->trace.level == trace::Level::kOff) continue;
    std::string path = fmt::format("{}/{}.trace", folder, name);
    std::ofstream out(path);
    trace::write(out, execution->trace);
    out.close();
    if (!out) throw std::runtime_error(fmt::format("{} cannot be written", path));
  }
}

std::string list_words(const std::vector<uint32_t>& words) {
  constexpr size_t kShown = 16;
  std::string out;
  for (size_t i = 0; i < std::min(words.size(), kShown); ++i)
    out += fmt::format("{}{}", i ? " " : "", words[i]);
  if (words.size() > kShown) out += fmt::format(" ... ({} words)", words.size());
  return out;
}

void print_outputs(const reports::Report& report) {
  for (const auto& [executor, buffers] : report.outputs) {
    for (const auto& [name, words] : buffers) {
      fmt::print("{:<12} {} = {}\n", executor, name, list_words(words));
    }
  }
}

/// Diagnostics of a wrong program, as any other bad input's.
void print_faults(const reports::Report& report) {
  for (const reports::TestResult& t : report.tests) {
    if (!t.fault) continue;
    fmt::print(stderr, "{}", t.explanation.value_or(t.reason.value_or("") + "\n"));
    return;  // the others say the same
  }
}

int run(Options& options) {
  auto start = std::chrono::steady_clock::now();
  suites::TemporaryFolder temporary;
  if (!options.out.empty()) reports::make_folder(options.out);
  suites::Case test = make_case(options, options.out.empty() ? temporary.path() : options.out);

  suites::RunOptions run;
  run.executors = options.executors.names(test.program.cuda_path.has_value());
  run.level = level_of(options.level);
  run.schedules = options.schedules;
  run.seed = options.seed;
  reports::Report report;
  report.command = "run";
  report.version = version();
  report.seed = options.seed;
  report.started = now_utc();
  report.executors = options.executors.describe(run.executors);

  suites::CaseRunner runner(options.executors.factory(), run);
  suites::CaseResult result = runner.run(test);
  if (!options.out.empty()) {
    write_traces(options.out, result);
    suites::write_bundle(options.out + "/failures", test, result);
  }
  report.tests = result.tests;
  for (reports::TestResult& t : report.tests) {
    if (!suites::is_failure(t.verdict)) continue;
    t.reproduce = fmt::format("warplock run {} --launch {} --on {} --seed {}", options.file,
                              options.launch, t.executor, options.seed);
  }
  for (const auto& [name, outcome] : result.outcomes) {
    const auto* execution = std::get_if<executor::Execution>(&outcome);
    bool asked = std::find(run.executors.begin(), run.executors.end(), name) != run.executors.end();
    if (!execution || !asked) continue;
    for (const auto& [buffer, words] : execution->outputs) report.outputs[name][buffer] = words;
  }
  report.seconds = seconds_since(start);
  if (!options.out.empty()) reports::write_folder(report, options.out);

  print_faults(report);
  if (options.json) {
    fmt::print("{}\n", reports::to_json(report));
  } else {
    print_outputs(report);
    fmt::print("{}", reports::to_terminal(report, use_color(1)));
  }
  return reports::exit_status(report, options.strict);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "One launch of your own kernel");
  command->add_option("FILE", options->file, "The kernel: FILE.cu or FILE.ptx")->required();
  command->add_option("--launch", options->launch, "What to launch")
      ->type_name("LAUNCH.json")
      ->required();
  options->executors.add_to(*command);
  command->add_option("--trace", options->level, "What is recorded and compared")
      ->check(CLI::IsMember({"off", "memory", "registers"}))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder for traces, PTX and report")->type_name("DIR");
  options->compiler.add_to(*command);
  command
      ->add_option("--schedules", options->schedules,
                   "Interleavings under which the reference runs too, and must agree")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of the interleavings")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->add_flag("--strict", options->strict, "An unsupported test fails");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace warplock::cli
