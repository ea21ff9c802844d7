#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "executor/launch.h"
#include "reference_interp/code.h"
#include "reference_interp/cta.h"
#include "reference_interp/faults.h"
#include "reference_interp/memory.h"
#include "reference_interp/race.h"
#include "reference_interp/random.h"
#include "reference_interp/recorder.h"
#include "reference_interp/reference.h"
#include "reference_interp/step.h"

namespace warplock::reference_interp {

/// Executes one launch. How warps, divergent lanes and CTAs take turns: docs/reference.md,
/// "Scheduling".
template <int W>
class Machine {
 public:
  Machine(const Code<W>& code, uint32_t entry, Memory& memory, const executor::Launch& launch,
          const Options& options, Recorder& recorder);

  /// Runs to the end. Throws `ProgramFault`.
  void run();
  uint64_t steps() const { return steps_; }

  // What handlers use.
  const Code<W>& code() const { return code_; }
  Memory& memory() { return memory_; }
  RaceDetector& races() { return races_; }
  Recorder& recorder() { return recorder_; }
  const Reporter& reporter() const { return reporter_; }
  const executor::Launch& launch() const { return launch_; }
  Random& random() { return random_; }
  bool permutes() const { return options_.permute_schedule; }

  Frame& frame(Cta<W>& cta, Warp<W>& warp, uint32_t depth, uint32_t function);
  /// Readies the registers and local memory of `function` for lanes that enter it at `depth`, where
  /// their local frames begin at warp.levels[depth].local_base.
  void enter(Cta<W>& cta, Warp<W>& warp, LaneMask lanes, uint32_t depth, uint32_t function);
  /// The warp has lanes that can run again.
  void wake(Cta<W>& cta, Warp<W>& warp);
  /// One event; `element` and the rest are filled in by the caller.
  trace::Event event(const Step<W>& step, int lane, trace::EventKind kind) const {
    return event(step.warp, step.cta, lane, step.pc, step.occurrence[lane], kind);
  }
  trace::Event event(const Warp<W>& warp, const Cta<W>& cta, int lane, uint32_t pc,
                     uint32_t occurrence, trace::EventKind kind) const;
  /// Register events of the executing lanes, for every destination that has a value there.
  void record_registers(const Step<W>& step);

 private:
  enum class SliceEnd { kBlocked, kTurnOver, kYielded };
  struct Turn {
    Cta<W>* cta;
    Warp<W>* warp;
  };

  // scheduler.cpp
  void admit();
  void retire(Cta<W>& cta);
  Turn next_turn();
  uint32_t choose_lanes(Step<W>& step);
  uint32_t leader_of(const Warp<W>& warp, LaneMask candidates);
  SliceEnd run_slice(Cta<W>& cta, Warp<W>& warp);
  [[noreturn]] void report_stuck(const Cta<W>& cta);

  // machine.cpp
  void run_lanes(Step<W>& step, uint32_t stop, uint64_t& budget);
  LaneMask evaluate_guard(Step<W>& step);
  void check_initialised(const Step<W>& step);
  [[noreturn]] void report_uninitialised(const Step<W>& step);
  [[noreturn]] void report_step_limit(const Step<W>& step);
  void refresh_clock(Step<W>& step);
  uint64_t special_value(const Cta<W>& cta, const Warp<W>& warp, int lane,
                         ptx::SpecialRegister special) const;

  const Code<W>& code_;
  uint32_t entry_;
  Memory& memory_;
  const executor::Launch& launch_;
  const Options& options_;
  Recorder& recorder_;
  Reporter reporter_;
  RaceDetector races_;
  Random random_;
  uint64_t steps_ = 0;
  uint64_t clock_ = 0;  ///< readings of %clock so far

  std::vector<std::unique_ptr<Cta<W>>> resident_;
  std::deque<Turn> queue_;
  uint32_t next_cta_ = 0;
  uint64_t fruitless_ = 0;  ///< turns in a row that ended by yielding
};

}  // namespace warplock::reference_interp
