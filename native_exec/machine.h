#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/executor.h"
#include "native_exec/arena.h"
#include "native_exec/fibre.h"
#include "native_exec/image.h"
#include "native_exec/memory.h"

namespace warplock::native_exec {

/// One operand set of a warp-wide operation. `value` is what is shuffled, voted on, matched,
/// reduced.
struct WarpRequest {
  WarpOp op = WarpOp::kSync;
  uint32_t mask = 0;
  uint64_t value = 0;
  uint32_t b = 0;  ///< shuffles: lane or distance
  uint32_t c = 0;  ///< shuffles: clamp and segment mask
  uint32_t site = 0;
};

/// The result, and the predicate that shuffles and match.all give besides.
struct WarpResult {
  uint32_t value = 0;
  bool predicate = false;
};

template <class T>
using LaneArray = std::array<T, 32>;

/// Computes an operation that all `members` take part in; requests and results by lane.
void perform(uint32_t members, const LaneArray<WarpRequest>& requests,
             LaneArray<WarpResult>& results);

/// Executes one launch: every GPU thread is a fibre, CTAs run one after another, and a fibre runs
/// until it waits for others, so that an execution is the same each time.
class Machine {
 public:
  Machine(const Image& image, const executor::Launch& launch, trace::Level level,
          StackPool& stacks);
  /// Calls the kernel with its arguments laid out as `entry` says.
  /// Gives a refusal, or nothing when the kernel ended; then the buffers are as it left them.
  std::optional<executor::Refusal> run(const Entry& entry, const std::string& cuda_path);

  /// The contents of buffer argument `index` (an index into Launch::arguments).
  std::vector<uint32_t> buffer(size_t index) const;
  /// Moves events and objects out; valid after `run`.
  void take_trace(trace::Trace& trace);

  // What generated code calls (native_exec/hooks.cpp). Those that find a fault do not return.
  void load(const std::byte* address, uint32_t site);
  void before_store(const std::byte* address, uint32_t site);
  void after_store(const std::byte* address, uint32_t site);
  void check_local(const std::byte* address, const std::byte* base, uint64_t size, uint32_t site);
  uint64_t atomic(std::byte* address, uint64_t value, uint64_t compare, uint32_t site);
  void copy(std::byte* to, const std::byte* from, uint64_t bytes, uint32_t site);
  void fill(std::byte* to, uint8_t value, uint64_t bytes, uint32_t site);
  uint32_t special(Special which) const;
  uint32_t barrier(BarrierOp op, uint32_t predicate, uint32_t site);
  WarpResult warp(const WarpRequest& request);
  uint32_t active_mask(uint32_t site);
  void check_steps(uint32_t site);
  void check_stack(uint64_t bytes, uint32_t site);
  [[noreturn]] void fault(const std::string& klass, const std::string& what, uint32_t site);
  [[noreturn]] void unsupported(uint32_t reason, uint32_t site);

  /// The machine that runs on this thread of the host.
  static Machine& current();

 private:
  enum class State : uint8_t { kRunnable, kBarrier, kWarp, kActiveMask, kExited };
  struct Thread {
    State state = State::kRunnable;
    FibreContext context = nullptr;
    uint32_t index = 0;  ///< linear thread id in the CTA
    uint32_t warp = 0, lane = 0;
    uint32_t site = 0;  ///< where it waits
    BarrierOp barrier = BarrierOp::kSync;
    WarpRequest request;
    uint32_t result = 0;
    bool predicate = false;
    uint64_t waiting_since = 0;  ///< kActiveMask: the scheduler's round
  };

  void lay_out_memory();
  void reset_for_launch();
  void reset_for_cta();
  bool run_cta();
  [[noreturn]] static void fibre_body();
  void wait();
  [[noreturn]] void stop();
  void on_exit();
  bool complete_barrier();
  void complete_warp(uint32_t warp, uint32_t mask);
  bool release_active_masks(bool anyway);
  executor::Refusal refuse(executor::Refusal::Kind kind, const std::string& klass,
                           const std::string& what, uint32_t site) const;
  executor::Refusal step_limit(uint32_t site) const;
  executor::Refusal deadlock() const;
  [[noreturn]] void out_of_memory(uint32_t site);
  Thread* lane(uint32_t warp, uint32_t lane_number);

  /// The object at an address, or kNone for the thread's own stack; anything else is a fault.
  uint32_t object_at(const std::byte* address, uint64_t bytes, uint32_t site);
  void check_alignment(const std::byte* address, uint32_t alignment, uint32_t site);
  void record(trace::EventKind kind, uint32_t object, const std::byte* address, uint32_t width,
              uint32_t element, uint64_t value, uint64_t old, uint32_t site);
  void record_bytes(trace::EventKind kind, uint32_t object, const std::byte* address,
                    uint64_t bytes, uint32_t site);

  const Image& image_;
  const executor::Launch& launch_;
  const trace::Level level_;
  StackPool& stacks_;
  std::unique_ptr<Arena> buffers_;
  std::vector<std::byte*> buffer_memory_;  ///< by argument; null for scalars
  MemoryMap memory_;
  std::vector<uint32_t> hints_;  ///< by site: the object found last

  const Entry* entry_ = nullptr;
  std::string cuda_path_;
  std::vector<std::byte> arguments_;
  std::vector<Thread> threads_;
  Thread* running_ = nullptr;
  FibreContext scheduler_ = nullptr;
  uint64_t round_ = 0;
  uint32_t live_ = 0;
  uint32_t cta_ = 0;
  std::array<uint32_t, 3> cta_position_{};
  std::optional<executor::Refusal> refusal_;
  std::vector<trace::Event> events_;
  /// By thread and site: how often executed, for Event::occurrence.
  std::vector<std::vector<uint32_t>> occurrences_;
};

}  // namespace warplock::native_exec
