#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "circuit/emulator.h"
#include "circuit/lowering.h"
#include "executor/executor.h"

namespace warplock::circuit {

/// Turns what a machine does into the events of the PTX program. The machine executes instructions
/// of one stretch of code in another order than PTX has them; events are put back into program
/// order by thread, and among threads into the order in which memory was accessed.
class MachineTrace {
 public:
  MachineTrace(const Lowered& lowered, const executor::Program& program,
               const executor::Launch& launch, trace::Level level);

  /// Takes note of a kExec step, with the results of the emulator that has just given it.
  void execute(const Step& step, const Emulator& emulator);
  /// All threads of the CTA have exited.
  void end_cta();
  trace::Trace take() { return std::move(trace_); }

  /// Thrown for an access to what is no object's.
  struct OutOfBounds {
    uint32_t ptx, address;
  };

 private:
  struct Recorded {
    trace::Event event;
    uint64_t time = 0;       ///< blocks executed before
    uint32_t stretch = 0;    ///< which stretch of code of the thread
    uint32_t order = 0;      ///< in that stretch
    uint32_t number = 0;     ///< place before sorting, which equal ones keep
    bool is_anchor = false;  ///< its place among other threads' events counts
  };
  struct Thread {
    std::vector<uint32_t> values;  ///< by virtual register: what was written last
    std::vector<Recorded> events;
    std::vector<trace::Event> waiting;  ///< barrier events, until the thread goes on
    uint32_t stretch = 0;
  };
  struct Lane {
    const BlockTrace& block;
    const std::vector<std::array<LaneResult, 4>>& results;
    uint32_t lane, number;  ///< number: of the thread in the CTA
    uint64_t time;
  };

  void run_lane(const Lane& lane, const MachineBlock& block);
  uint32_t value(const Lane& lane, const ir::Source& source, int8_t from, uint32_t slot) const;
  uint32_t value(const Lane& lane, const ir::Value& value, int8_t from) const;
  void record(const Lane& lane, const SlotTrace& at);
  void record_edge(const Lane& lane, const ir::Event& event);
  void add(uint32_t number, trace::Event event, uint64_t time, uint32_t order);
  trace::Event event_of(const ir::Event& event, uint32_t number) const;
  void place(trace::Event& event, uint32_t address, uint32_t number) const;
  uint32_t destination_name(uint32_t ptx, uint32_t element) const;
  static std::vector<Recorded> in_program_order(Thread& thread);

  const Lowered& lowered_;
  trace::Trace trace_;
  std::vector<std::vector<uint32_t>> names_;  ///< by PTX instruction and destination
  std::vector<uint32_t> trace_object_;        ///< by layout object
  uint32_t local_object_ = 0;
  std::vector<Thread> threads_;
  uint32_t cta_ = 0;
  uint32_t grid_x_ = 1;
};

}  // namespace warplock::circuit
