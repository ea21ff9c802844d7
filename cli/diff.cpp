#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"
#include "trace/compare.h"
#include "trace/explain.h"
#include "trace/store.h"

namespace warplock::cli {
namespace {

/// The source a trace names, if it is still there: only quoted in the explanation.
std::shared_ptr<const diagnostics::SourceText> source_of(const std::string& path) {
  if (path.empty() || !std::filesystem::is_regular_file(path)) return nullptr;
  return diagnostics::read_source(path);
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  struct Options {
    std::string left, right;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "First divergence between two stored traces");
  command->add_option("A.trace", options->left)->required();
  command->add_option("B.trace", options->right)->required();
  command->callback([options, &status] {
    constexpr size_t kMaxTraceBytes = size_t{4} << 30;
    trace::Trace left = trace::read(diagnostics::read_source(options->left, kMaxTraceBytes));
    trace::Trace right = trace::read(diagnostics::read_source(options->right, kMaxTraceBytes));
    trace::Comparison comparison = trace::compare(left, right);
    if (comparison.divergence) {
      trace::ExplainOptions explain;
      auto ptx = source_of(left.ptx_file), cuda = source_of(left.cuda_file);
      explain.ptx = ptx.get();
      explain.cuda = cuda.get();
      explain.color = use_color(1);
      explain.reproduce = fmt::format("warplock diff {} {}", options->left, options->right);
      fmt::print("{}", trace::explain(left, right, *comparison.divergence, explain));
      status = kDisagreement;
      return;
    }
    if (comparison.compared_events == 0) {
      fmt::print("inconclusive: no events to compare\n");
      status = kToolFailed;
      return;
    }
    fmt::print("no divergence: {} events compared, {} left out because their order is open\n",
               comparison.compared_events, comparison.order_dependent_events);
    status = kOk;
  });
}

}  // namespace warplock::cli
