// Every kernel of the suite on the machine: it gives the host's words and the reference's trace, or
// is one of those that are known not to fit.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "circuit/machine_exec.h"
#include "ptx/from_cuda.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"
#include "suites/kernels/kernel.h"
#include "trace/compare.h"
#include "trace/explain.h"

namespace warplock::suites {
namespace {

/// What the machine has too little of for a kernel, as the reason says it. Everything else fits.
const std::map<std::string, std::string> kUnfit = {
    {"bfs_csr", "warps a CTA"},
    {"convolve_2d", "warps a CTA"},
    {"matmul_tiled", "warps a CTA"},
    {"sum_two_level", "warps a CTA"},
    {"radix_sort", "warps a CTA"},
    {"histogram_bytes", "warps a CTA"},
    {"producer_consumer", "warps a CTA"},
    // Lanes that draw tickets in one order and ask for their turn in another.
    {"ticket_lock", "threads that all make progress"},
};

class OnTheMachine : public testing::TestWithParam<size_t> {};

TEST_P(OnTheMachine, AgreesWithHostAndReference) {
  const Kernel& kernel = all_kernels()[GetParam()];
  const std::string text = ptx::compile_cuda(kernel_path(kernel), ptx::CudaCompiler::kClang);
  executor::Program program;
  program.module =
      ptx::parse(std::make_shared<diagnostics::SourceText>(kernel.name + ".ptx", text));
  program.ptx_path = kernel.name + ".ptx";
  program.digest = kernel.name;
  const auto unfit = kUnfit.find(kernel.name);
  for (const KernelInput& input : kernel.inputs()) {
    const executor::Launch launch = make_launch(kernel, input, 4);
    const auto outcome = circuit::make_machine()->run(program, launch, trace::Level::kRegisters);
    if (const auto* refusal = std::get_if<executor::Refusal>(&outcome)) {
      ASSERT_NE(unfit, kUnfit.end()) << input.name << ": " << refusal->reason;
      EXPECT_EQ(refusal->kind, executor::Refusal::Kind::kUnsupported);
      EXPECT_NE(refusal->reason.find(unfit->second), std::string::npos) << refusal->reason;
      continue;
    }
    const auto& execution = std::get<executor::Execution>(outcome);
    const auto expected = host_result(kernel, launch);
    for (const auto& [name, words] : execution.outputs) {
      const auto found = expected.find(name);
      if (found == expected.end()) continue;
      EXPECT_EQ(words, found->second) << input.name << ": " << name;
    }
    const auto reference =
        reference_interp::make_reference()->run(program, launch, trace::Level::kRegisters);
    ASSERT_TRUE(std::holds_alternative<executor::Execution>(reference));
    const trace::Trace& left = std::get<executor::Execution>(reference).trace;
    const trace::Comparison comparison = trace::compare(left, execution.trace);
    EXPECT_GT(comparison.compared_events, 0u);
    if (comparison.divergence) {
      ADD_FAILURE() << input.name << "\n"
                    << trace::explain(left, execution.trace, *comparison.divergence, {});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OnTheMachine, testing::Range(size_t{0}, all_kernels().size()),
                         [](const auto& param_info) {
                           return all_kernels()[param_info.param].name;
                         });

}  // namespace
}  // namespace warplock::suites
