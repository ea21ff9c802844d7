#include "reference_interp/test_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "ptx/parse.h"

namespace warplock::reference_interp::testing {

executor::Program program_of(const std::string& ptx, const std::string& name) {
  executor::Program program;
  program.module = ptx::parse(std::make_shared<diagnostics::SourceText>(name, ptx));
  program.ptx_path = name;
  program.digest = "test";
  return program;
}

std::string module_of(std::string_view entries) {
  return fmt::format(".version 8.0\n.target sm_80\n.address_size 64\n{}\n", entries);
}

std::string kernel_of(int buffers, std::string_view body, std::string_view declarations) {
  std::string parameters, loads;
  for (int i = 0; i < buffers; ++i) {
    parameters += fmt::format("{}.param .u64 p{}", i == 0 ? "" : ", ", i);
    loads += fmt::format("ld.param.u64 %rd{}, [p{}];\n", i, i);
  }
  return module_of(fmt::format(
      "{}\n.visible .entry k({})\n{{\n.reg .b32 %r<64>, %tid_;\n.reg .b64 %rd<64>;\n"
      ".reg .b16 %rs<32>;\n.reg .pred %p<16>;\n{}mov.u32 %tid_, %tid.x;\n{}\nret;\n}}\n",
      declarations, parameters, loads, body));
}

executor::Argument buffer(std::string name, std::vector<uint32_t> words) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.is_buffer = true;
  argument.words = std::move(words);
  return argument;
}

executor::Argument scalar(std::string name, uint64_t value, uint8_t bytes) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.scalar = value;
  argument.scalar_bytes = bytes;
  return argument;
}

executor::Launch launch_of(uint32_t width, uint32_t threads,
                           std::vector<executor::Argument> arguments) {
  executor::Launch launch;
  launch.entry = std::string("k");
  launch.block = {threads, 1, 1};
  launch.warp_width = width;
  launch.arguments = std::move(arguments);
  return launch;
}

executor::Outcome run(const std::string& ptx, const executor::Launch& launch, trace::Level level,
                      Options options) {
  return make_reference(std::move(options))->run(program_of(ptx), launch, level);
}

executor::Execution completes(const std::string& ptx, const executor::Launch& launch,
                              trace::Level level, Options options) {
  executor::Outcome outcome = run(ptx, launch, level, std::move(options));
  if (auto* refusal = std::get_if<executor::Refusal>(&outcome)) {
    ADD_FAILURE() << refusal->reason << "\n" << diagnostics::render(refusal->diagnostics);
    return {};
  }
  return std::get<executor::Execution>(std::move(outcome));
}

std::vector<uint32_t> output_of(const executor::Execution& execution, const std::string& name) {
  for (const auto& [label, words] : execution.outputs) {
    if (label == name) return words;
  }
  return {};
}

diagnostics::Diagnostic fault_of(const std::string& ptx, const executor::Launch& launch,
                                 Options options) {
  executor::Outcome outcome = run(ptx, launch, trace::Level::kOff, std::move(options));
  const auto* refusal = std::get_if<executor::Refusal>(&outcome);
  if (refusal == nullptr || refusal->kind != executor::Refusal::Kind::kFault ||
      refusal->diagnostics.empty()) {
    ADD_FAILURE() << "no fault" << (refusal != nullptr ? fmt::format(": {}", refusal->reason) : "");
    return {};
  }
  return refusal->diagnostics.front();
}

uint32_t line_of(const std::string& text, std::string_view part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no '" << part << "' in the text";
    return 0;
  }
  return 1 + static_cast<uint32_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace warplock::reference_interp::testing
