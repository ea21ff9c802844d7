#include "circuit/machine_exec.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "circuit/emulator.h"
#include "circuit/lowering.h"
#include "circuit/machine_trace.h"

namespace warplock::circuit {

namespace {

/// Of lowering and emulator together.
constexpr char kVersion[] = "1";

executor::Refusal refuse(executor::Refusal::Kind kind, std::string reason) {
  executor::Refusal refusal;
  refusal.kind = kind;
  refusal.reason = std::move(reason);
  return refusal;
}

/// Notices when the machine comes back to a state that it was in: it is deterministic, and will do
/// so for ever. States are kept at numbers of blocks that double, so that a cycle of any length is
/// found once it is shorter than the way since the last one.
class Watch {
 public:
  bool repeats(const Emulator& emulator) {
    if (emulator.blocks() < next_) return kept_ && emulator.same_state(*kept_);
    kept_ = std::make_unique<Emulator>(emulator);
    next_ *= 2;
    return false;
  }

 private:
  std::unique_ptr<Emulator> kept_;
  uint64_t next_ = 1024;
};

class Machine final : public executor::Executor {
 public:
  explicit Machine(MachineSpec spec) : spec_(spec) {}

  std::string name() const override { return "machine"; }
  std::string version() const override { return std::string(kVersion); }
  executor::Capabilities capabilities() const override {
    executor::Capabilities capabilities;
    capabilities.width32 = false;
    return capabilities;
  }

  executor::Outcome run(const executor::Program& program, const executor::Launch& launch,
                        trace::Level level) override {
    using Kind = executor::Refusal::Kind;
    LoweringResult result = lower(program.module, launch, spec_);
    if (const auto* unfit = std::get_if<DoesNotFit>(&result)) {
      return refuse(Kind::kUnsupported, unfit->reason);
    }
    const Lowered& lowered = std::get<Lowered>(result);
    const auto begin = std::chrono::steady_clock::now();
    Emulator emulator(lowered.program);
    MachineTrace trace(lowered, program, launch, level);
    try {
      Watch watch;
      while (true) {
        const Step step = emulator.next();
        if (step.kind == Step::Kind::kHalt) break;
        if (step.kind == Step::Kind::kCta && level != trace::Level::kOff) trace.end_cta();
        if (step.kind != Step::Kind::kExec) continue;
        if (level != trace::Level::kOff) trace.execute(step, emulator);
        if (emulator.store_out_of_range()) {
          return refuse(Kind::kFault, "stores beyond the machine's memory");
        }
        if (emulator.lane_instructions() > kStepsForOne * launch.max_steps) {
          return refuse(Kind::kFault, fmt::format("does not end within {} instructions",
                                                  emulator.lane_instructions()));
        }
        if (watch.repeats(emulator)) {
          return refuse(Kind::kUnsupported,
                        "needs threads that all make progress: the machine always runs its lowest "
                        "warp, and of that the lanes in the lowest block, which wait for others "
                        "here");
        }
      }
    } catch (const MachineTrace::OutOfBounds& access) {
      return refuse(Kind::kFault, fmt::format("accesses address {} of the machine, which is in no "
                                              "object",
                                              access.address));
    }
    if (level != trace::Level::kOff) trace.end_cta();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

    executor::Execution execution;
    execution.steps = emulator.lane_instructions();
    execution.seconds = seconds.count();
    execution.outputs = outputs(lowered.layout, emulator.memory(), launch);
    execution.trace = trace.take();
    execution.trace.executor = name();
    execution.trace.executor_version = version();
    return execution;
  }

 private:
  /// A PTX instruction may take this many machine instructions: a division has 32 rounds of 8.
  static constexpr uint64_t kStepsForOne = 300;

  static std::vector<std::pair<std::string, std::vector<uint32_t>>> outputs(
      const Layout& layout, const std::vector<uint32_t>& memory, const executor::Launch& launch) {
    std::vector<std::pair<std::string, std::vector<uint32_t>>> result;
    for (uint32_t i = 0; i < launch.arguments.size(); ++i) {
      if (!launch.arguments[i].is_buffer) continue;
      const Layout::Object& object = *layout.of_argument(i);
      const auto first = memory.begin() + object.base / 4;
      result.emplace_back(launch.arguments[i].name,
                          std::vector<uint32_t>(first, first + object.size / 4));
    }
    return result;
  }

  MachineSpec spec_;
};

}  // namespace

std::unique_ptr<executor::Executor> make_machine(MachineSpec spec) {
  return std::make_unique<Machine>(spec);
}

}  // namespace warplock::circuit
