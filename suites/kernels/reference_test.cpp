#include <set>
#include <string>
#include <variant>

#include "diagnostics/diagnostic.h"
#include "executor/executor.h"
#include "ptx/from_cuda.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"
#include "suites/kernels/kernel.h"

#include <gtest/gtest.h>

/// Every kernel under the reference's checks (races, bounds, uninitialised memory, deadlock), at
/// both widths and in several schedules: its result is what the host function says.
namespace warplock::suites {
namespace {

/// What an input may cost, in thread-instructions of all threads together.
constexpr uint64_t kMostSteps = 300'000;

std::vector<std::string> families() {
  std::set<std::string> names;
  for (const Kernel& kernel : all_kernels()) names.insert(kernel.family);
  return {names.begin(), names.end()};
}

executor::Program compile(const Kernel& kernel) {
  executor::Program program;
  program.cuda_path = kernel_path(kernel);
  program.ptx_path = kernel.name + ".ptx";
  program.module = ptx::parse(std::make_shared<diagnostics::SourceText>(
      program.ptx_path, ptx::compile_cuda(*program.cuda_path, ptx::CudaCompiler::kClang)));
  program.digest = kernel.name;
  return program;
}

std::string message(const executor::Refusal& refusal) {
  return refusal.reason + "\n" +
         (refusal.diagnostics.empty() ? "" : diagnostics::render(refusal.diagnostics));
}

void check(const Kernel& kernel) {
  const executor::Program program = compile(kernel);
  for (const uint64_t seed : {0u, 1u, 2u}) {
    reference_interp::Options options;
    options.seed = seed;
    options.permute_schedule = seed != 0;
    const auto reference = reference_interp::make_reference(options);
    for (const KernelInput& input : kernel.inputs()) {
      for (const uint32_t width : {4u, 32u}) {
        SCOPED_TRACE(kernel.name + ", input " + input.name + ", width " + std::to_string(width) +
                     ", schedule " + std::to_string(seed));
        const executor::Launch launch = make_launch(kernel, input, width);
        const executor::Outcome outcome = reference->run(program, launch, trace::Level::kOff);
        if (const auto* refusal = std::get_if<executor::Refusal>(&outcome)) {
          FAIL() << message(*refusal);
        }
        const auto& execution = std::get<executor::Execution>(outcome);
        EXPECT_LE(execution.steps, kMostSteps);
        const auto expected = host_result(kernel, launch);
        ASSERT_EQ(execution.outputs.size(), expected.size());
        for (const auto& [name, words] : execution.outputs) {
          EXPECT_EQ(words, expected.at(name)) << "buffer " << name;
        }
      }
    }
  }
}

class OnReference : public testing::TestWithParam<std::string> {};

TEST_P(OnReference, GivesTheHostsResult) {
  const std::string missing = ptx::why_missing(ptx::CudaCompiler::kClang);
  if (!missing.empty()) GTEST_SKIP() << missing;
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.family == GetParam()) check(kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, OnReference, testing::ValuesIn(families()),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace warplock::suites
