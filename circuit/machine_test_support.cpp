#include "circuit/machine_test_support.h"

#include <random>

#include "circuit/machine_exec.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"
#include "trace/compare.h"
#include "trace/explain.h"

namespace warplock::circuit::test_support {

executor::Program program_of(const std::string& ptx) {
  executor::Program program;
  program.module = ptx::parse(std::make_shared<diagnostics::SourceText>("test.ptx", ptx));
  program.ptx_path = "test.ptx";
  program.digest = "test";
  return program;
}

executor::Launch launch_of(std::string entry, std::array<uint32_t, 3> grid,
                           std::array<uint32_t, 3> block) {
  executor::Launch launch;
  launch.entry = std::move(entry);
  launch.grid = grid;
  launch.block = block;
  launch.warp_width = 4;
  return launch;
}

executor::Argument buffer(std::string name, std::vector<uint32_t> words) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.is_buffer = true;
  argument.words = std::move(words);
  return argument;
}

executor::Argument scalar(std::string name, uint32_t value) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.scalar = value;
  return argument;
}

std::string disagreement(const executor::Program& program, const executor::Launch& launch,
                         const MachineSpec& spec) {
  const auto expected =
      reference_interp::make_reference()->run(program, launch, trace::Level::kRegisters);
  const auto found = make_machine(spec)->run(program, launch, trace::Level::kRegisters);
  if (const auto* refused = std::get_if<executor::Refusal>(&expected)) {
    return "reference: " + refused->reason;
  }
  if (const auto* refused = std::get_if<executor::Refusal>(&found)) {
    return "machine: " + refused->reason;
  }
  const auto& left = std::get<executor::Execution>(expected);
  const auto& right = std::get<executor::Execution>(found);
  const trace::Comparison comparison = trace::compare(left.trace, right.trace);
  if (comparison.divergence) {
    return trace::explain(left.trace, right.trace, *comparison.divergence, {});
  }
  if (comparison.compared_events == 0) return "no events compared";
  if (comparison.order_dependent_events == 0 && left.outputs != right.outputs) {
    return "the outputs differ";
  }
  return "";
}

std::string refusal(const executor::Program& program, const executor::Launch& launch,
                    const MachineSpec& spec) {
  const auto outcome = make_machine(spec)->run(program, launch, trace::Level::kOff);
  const auto* refused = std::get_if<executor::Refusal>(&outcome);
  if (refused == nullptr || refused->kind != executor::Refusal::Kind::kUnsupported) return "";
  return refused->reason;
}

std::vector<uint32_t> interesting_words(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const uint32_t corners[] = {0,          1,          2,          31,         32,
                              33,         63,         64,         255,        256,
                              0x7f,       0x80,       0x7fff,     0x8000,     0xffff,
                              0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
                              0xffffffff, 0x55555555, 0xffff8000, 0xffffff80};
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) {
    const auto choice = random() % 4;
    word = choice == 0   ? static_cast<uint32_t>(random())
           : choice == 1 ? static_cast<uint32_t>(random() % 64)
                         : corners[random() % std::size(corners)];
  }
  return words;
}

}  // namespace warplock::circuit::test_support
