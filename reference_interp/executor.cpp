#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "reference_interp/decode.h"
#include "reference_interp/launch_check.h"
#include "reference_interp/machine.h"
#include "reference_interp/reference.h"

namespace warplock::reference_interp {
namespace {

constexpr const char* kVersion = "1";

executor::Refusal unsupported(std::string reason) {
  executor::Refusal refusal;
  refusal.kind = executor::Refusal::Kind::kUnsupported;
  refusal.reason = std::move(reason);
  return refusal;
}

executor::Refusal fault(ProgramFault found) {
  executor::Refusal refusal;
  refusal.kind = executor::Refusal::Kind::kFault;
  refusal.reason = found.diagnostics.front().message;
  refusal.diagnostics = std::move(found.diagnostics);
  return refusal;
}

class Reference final : public executor::Executor {
 public:
  explicit Reference(Options options) : options_(std::move(options)) {}

  std::string name() const override { return "reference"; }
  std::string version() const override { return kVersion; }

  executor::Outcome run(const executor::Program& program, const executor::Launch& launch,
                        trace::Level level) override {
    const ptx::Function& entry = check_launch(*program.module, launch);
    if (program.module->address_size != 64) {
      return unsupported("the module has .address_size 32; addresses here have 64 bits");
    }
    if (launch.warp_width == 4) return run_at<4>(program, launch, entry, level);
    if (launch.warp_width == 32) return run_at<32>(program, launch, entry, level);
    return unsupported(
        fmt::format("warps of {} lanes; only 4 and 32 are built in", launch.warp_width));
  }

 private:
  template <int W>
  executor::Outcome run_at(const executor::Program& program, const executor::Launch& launch,
                           const ptx::Function& entry, trace::Level level) const {
    try {
      Memory memory = make_memory(*program.module, entry, launch);
      const Code<W> code = decode<W>(program.module, memory.addresses, options_);
      const auto entry_index = static_cast<uint32_t>(&entry - program.module->functions.data());
      Recorder recorder;
      recorder.level = level;
      Machine<W> machine(code, entry_index, memory, launch, options_, recorder);
      const auto begin = std::chrono::steady_clock::now();
      machine.run();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

      executor::Execution execution;
      execution.steps = machine.steps();
      execution.seconds = seconds.count();
      execution.outputs = outputs(memory, launch);
      execution.trace = header(program, launch, level);
      if (level != trace::Level::kOff) describe(code, execution.trace);
      execution.trace.objects = std::move(memory.trace_objects);
      execution.trace.events = std::move(recorder.events);
      return execution;
    } catch (ProgramFault& found) {
      return fault(std::move(found));
    } catch (const Unsupported& refused) {
      return unsupported(refused.reason);
    }
  }

  static std::vector<std::pair<std::string, std::vector<uint32_t>>> outputs(
      const Memory& memory, const executor::Launch& launch) {
    std::vector<std::pair<std::string, std::vector<uint32_t>>> result;
    for (const executor::Argument& argument : launch.arguments) {
      if (!argument.is_buffer) continue;
      const std::vector<uint8_t>& bytes = memory.globals[result.size()].bytes;
      std::vector<uint32_t> words(bytes.size() / 4);
      if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
      result.emplace_back(argument.name, std::move(words));
    }
    return result;
  }

  trace::Trace header(const executor::Program& program, const executor::Launch& launch,
                      trace::Level level) const {
    trace::Trace trace;
    trace.executor = name();
    trace.executor_version = version();
    trace.kernel = launch.entry;
    trace.launch_digest = executor::digest(launch);
    trace.program_digest = program.digest;
    trace.ptx_file = program.ptx_path;
    trace.cuda_file = program.cuda_path.value_or("");
    trace.level = level;
    trace.warp_width = launch.warp_width;
    return trace;
  }

  template <int W>
  static void describe(const Code<W>& code, trace::Trace& trace) {
    trace.register_names = code.register_names;
    trace.instructions.resize(code.module->instruction_count);
    for (const InstructionInfo& info : code.info) {
      if (info.text == nullptr) continue;
      trace::Instruction& instruction = trace.instructions[info.id];
      instruction.ptx_index = info.id;
      instruction.ptx_line = info.text->position.line;
      instruction.cuda_line = info.text->cuda.line;
      instruction.text = to_text(*code.module, code.module->functions[info.function], *info.text);
    }
  }

  Options options_;
};

}  // namespace

std::unique_ptr<executor::Executor> make_reference(Options options) {
  return std::make_unique<Reference>(std::move(options));
}

}  // namespace warplock::reference_interp
