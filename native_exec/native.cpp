#include "native_exec/native.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>
#include <stdexcept>

#include "executor/digest.h"
#include "native_exec/image.h"
#include "native_exec/machine.h"
#include "ptx/from_cuda.h"

namespace warplock::native_exec {
namespace {

using diagnostics::Diagnostic;
using diagnostics::InputError;
using executor::Execution;
using executor::Launch;
using executor::Outcome;
using executor::Program;
using executor::Refusal;

/// Images of so many files are kept: a suite comes back to each file for all of its inputs.
constexpr size_t kMaxImages = 64;

Diagnostic launch_error(const Launch& launch, const std::string& klass,
                        const std::string& message) {
  if (launch.source) {
    return diagnostics::error_at(*launch.source, launch.entry_position, klass, message);
  }
  return {diagnostics::Severity::kError, klass, message, "launch", launch.entry_position, ""};
}

/// Arguments that no executor could take.
void check_arguments(const Entry& entry, const Launch& launch) {
  const size_t wanted = entry.parameter_sizes.size(), given = launch.arguments.size();
  if (wanted != given) {
    throw InputError(launch_error(
        launch, "argument mismatch",
        fmt::format("{} takes {} arguments, the launch has {}", entry.name, wanted, given)));
  }
  for (size_t i = 0; i < given; ++i) {
    const executor::Argument& argument = launch.arguments[i];
    const uint32_t bytes = argument.is_buffer ? 8 : argument.scalar_bytes;
    if (bytes == entry.parameter_sizes[i]) continue;
    throw InputError(
        launch_error(launch, "argument mismatch",
                     fmt::format("argument {} of {} ({}) has {} bytes, the parameter has {}", i,
                                 entry.name, argument.name, bytes, entry.parameter_sizes[i])));
  }
}

/// Adds the text of the lines that the diagnostics name.
void quote_lines(Refusal& refusal, const std::string& cuda_path) {
  const auto source = diagnostics::read_source(cuda_path);
  for (Diagnostic& diagnostic : refusal.diagnostics) {
    diagnostic.line_text = std::string(source->line(diagnostic.position.line));
  }
}

class NativeExecutor : public executor::Executor {
 public:
  std::string name() const override { return "native"; }
  std::string version() const override {
    return fmt::format("{}, {}", ptx::version_of(ptx::CudaCompiler::kClang), llvm_version());
  }
  executor::Capabilities capabilities() const override {
    executor::Capabilities result;
    result.max_level = trace::Level::kMemory;
    result.needs_cuda = true;
    return result;
  }
  Outcome run(const Program& program, const Launch& launch, trace::Level level) override;

 private:
  /// The compiled file, or why there is none.
  struct Compiled {
    std::unique_ptr<Image> image;
    Refusal refusal;
  };
  const Compiled& compile(const std::string& path);

  std::mutex mutex_;
  std::map<std::string, Compiled> images_;  ///< by path and contents
  StackPool stacks_;
};

const NativeExecutor::Compiled& NativeExecutor::compile(const std::string& path) {
  const auto source = diagnostics::read_source(path);
  std::string key = path + '\n' + std::string(source->text());
  const auto known = images_.find(key);
  if (known != images_.end()) return known->second;
  if (images_.size() >= kMaxImages) images_.clear();
  Compiled compiled;
  try {
    compiled.image = make_image(ptx::compile_cuda_to_bitcode(path));
  } catch (const InputError& error) {
    // The PTX may come from another compiler, to which the file is good CUDA C.
    compiled.refusal = {Refusal::Kind::kUnsupported,
                        fmt::format("clang refuses {}: {}", path, error.diagnostics()[0].message),
                        error.diagnostics()};
  } catch (const UnsupportedProgram& error) {
    compiled.refusal = {Refusal::Kind::kUnsupported, error.what(), {}};
  } catch (const std::runtime_error& error) {
    compiled.refusal = {Refusal::Kind::kError, error.what(), {}};
  }
  return images_.emplace(std::move(key), std::move(compiled)).first->second;
}

Outcome NativeExecutor::run(const Program& program, const Launch& launch, trace::Level level) {
  const std::lock_guard lock(mutex_);
  if (!program.cuda_path) {
    return Refusal{Refusal::Kind::kUnsupported, "needs the CUDA C source of the kernel", {}};
  }
  const std::string reason = why_missing();
  if (!reason.empty()) return Refusal{Refusal::Kind::kUnsupported, reason, {}};
  level = std::min(level, trace::Level::kMemory);

  const Compiled& compiled = compile(*program.cuda_path);
  if (!compiled.image) return compiled.refusal;
  const Entry* entry = compiled.image->find_entry(launch.entry);
  if (entry == nullptr) {
    throw InputError(
        launch_error(launch, "entry not found",
                     fmt::format("there is no kernel {} in {}", launch.entry, *program.cuda_path)));
  }
  check_arguments(*entry, launch);

  Machine machine(*compiled.image, launch, level, stacks_);
  const auto start = std::chrono::steady_clock::now();
  auto refusal = machine.run(*entry, *program.cuda_path);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (refusal) {
    quote_lines(*refusal, *program.cuda_path);
    return *refusal;
  }

  Execution execution;
  execution.seconds = elapsed.count();
  execution.steps = compiled.image->counters->steps;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.arguments[i].is_buffer) continue;
    execution.outputs.emplace_back(launch.arguments[i].name, machine.buffer(i));
  }
  trace::Trace& trace = execution.trace;
  trace.executor = name();
  trace.executor_version = version();
  trace.kernel = launch.entry;
  trace.launch_digest = executor::digest(launch);
  trace.program_digest = program.digest;
  trace.ptx_file = program.ptx_path;
  trace.cuda_file = *program.cuda_path;
  trace.level = level;
  trace.warp_width = launch.warp_width;
  machine.take_trace(trace);
  return execution;
}

}  // namespace

std::unique_ptr<executor::Executor> make_native() {
  return std::make_unique<NativeExecutor>();
}

std::string why_missing() {
  return ptx::why_missing(ptx::CudaCompiler::kClang);
}

}  // namespace warplock::native_exec
