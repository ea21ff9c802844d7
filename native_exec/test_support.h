#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "executor/executor.h"
#include "native_exec/native.h"

namespace warplock::native_exec {

/// A kernel of native_exec/testdata/FILE.cu and a launch of it, built up argument by argument.
class KernelRun {
 public:
  KernelRun(const std::string& file, const std::string& entry) {
    program_.cuda_path = std::string(WARPLOCK_SOURCE_DIR) + "/native_exec/testdata/" + file + ".cu";
    program_.digest = "digest of the PTX";
    launch_.entry = entry;
    launch_.source = std::make_shared<diagnostics::SourceText>("launch.json", "{\"entry\": 1}");
    launch_.entry_position = {1, 11};
  }
  KernelRun& width(uint32_t lanes) {
    launch_.warp_width = lanes;
    return *this;
  }
  KernelRun& threads(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    launch_.block = {x, y, z};
    return *this;
  }
  KernelRun& blocks(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    launch_.grid = {x, y, z};
    return *this;
  }
  KernelRun& shared(uint32_t bytes) {
    launch_.shared_bytes = bytes;
    return *this;
  }
  KernelRun& steps(uint64_t most) {
    launch_.max_steps = most;
    return *this;
  }
  KernelRun& buffer(std::vector<uint32_t> words, const std::string& name = "") {
    executor::Argument argument;
    argument.is_buffer = true;
    argument.words = std::move(words);
    return add(std::move(argument), name);
  }
  KernelRun& scalar(uint64_t value, uint8_t bytes = 4) {
    executor::Argument argument;
    argument.scalar = value;
    argument.scalar_bytes = bytes;
    return add(std::move(argument), "");
  }
  executor::Program& program() { return program_; }
  executor::Launch& launch() { return launch_; }

  executor::Outcome outcome(trace::Level level = trace::Level::kMemory) {
    // One executor for all tests of a program: a file is compiled once.
    static const std::unique_ptr<executor::Executor> native = make_native();
    return native->run(program_, launch_, level);
  }
  /// The outcome, which must be an execution.
  executor::Execution execution(trace::Level level = trace::Level::kMemory) {
    executor::Outcome result = outcome(level);
    if (auto* execution = std::get_if<executor::Execution>(&result)) return std::move(*execution);
    ADD_FAILURE() << launch_.entry << ": " << std::get<executor::Refusal>(result).reason;
    return {};
  }
  /// The outcome, which must be a refusal.
  executor::Refusal refusal() {
    executor::Outcome result = outcome();
    if (auto* refusal = std::get_if<executor::Refusal>(&result)) return std::move(*refusal);
    ADD_FAILURE() << launch_.entry << " ended well";
    return {};
  }
  /// The final contents of the buffer that was added as the `index`-th.
  std::vector<uint32_t> output(size_t index) {
    executor::Execution result = execution();
    if (index < result.outputs.size()) return result.outputs[index].second;
    ADD_FAILURE() << "no buffer " << index;
    return {};
  }

 private:
  KernelRun& add(executor::Argument argument, const std::string& name) {
    argument.name = name.empty() ? fmt::format("a{}", launch_.arguments.size()) : name;
    launch_.arguments.push_back(std::move(argument));
    return *this;
  }

  executor::Program program_;
  executor::Launch launch_;
};

/// Corner values and scattered ones: the same every time.
inline std::vector<uint32_t> test_words(size_t count, uint32_t seed) {
  static constexpr uint32_t kCorners[] = {
      0,          1,          2,          31,       32,       33,         0x7fffffff, 0x80000000,
      0x80000001, 0xffffffff, 0xfffffffe, 0xffffff, 0x800000, 0xff00ff00, 255};
  std::vector<uint32_t> words(count);
  uint32_t state = seed * 2654435761u + 12345;
  for (uint32_t& word : words) {
    state = state * 1664525u + 1013904223u;
    const uint32_t draw = state >> 8;
    word =
        draw % 3 == 0 ? kCorners[draw / 3 % std::size(kCorners)] : state ^ (state >> 11) * 69069u;
  }
  return words;
}

}  // namespace warplock::native_exec
