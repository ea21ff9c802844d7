#include <bit>

#include <fmt/format.h>

#include "reference_interp/machine.h"
#include "reference_interp/ops/families.h"
#include "reference_interp/ops/waiting.h"

/// bar and barrier (PTX ISA 9.7.13.1): a warp arrives when all its lanes that have not exited are
/// at the barrier; a barrier with a count is complete when so many threads (in whole warps)
/// arrived, one without when all warps that have not exited did.
namespace warplock::reference_interp {
namespace {

using ptx::BarrierOp;

const ptx::Modifiers& modifiers_at(const auto& machine, uint32_t pc) {
  return machine.code().instructions[pc].text->modifiers;
}

template <int W>
void record_barrier(const Step<W>& s, Warp<W>& warp, int lane, trace::EventKind kind) {
  if (!s.machine.recorder().memory()) return;
  const uint32_t pc = warp.pc[lane];
  const uint32_t id = s.machine.code().info[pc].id;
  const uint32_t executed = warp.occurrences[size_t{id} * W + static_cast<size_t>(lane)];
  const bool arrives = kind == trace::EventKind::kBarrierArrive;
  trace::Event e = s.machine.event(warp, s.cta, lane, pc, arrives ? executed : executed - 1, kind);
  e.value = warp.barrier_id[lane];
  s.machine.recorder().events.push_back(e);
}

/// Lanes of one warp that wait at different aligned barriers will never be together at one.
template <int W>
void check_convergence(const Step<W>& s) {
  const Warp<W>& warp = s.warp;
  const int arriving = std::countr_zero(s.exec);
  const bool arriving_aligned = modifiers_at(s.machine, s.pc).aligned;
  for_each_lane(warp.at_barrier, [&](int lane) {
    const bool aligned = arriving_aligned || modifiers_at(s.machine, warp.pc[lane]).aligned;
    if (!aligned || (warp.pc[lane] == s.pc && warp.barrier_id[lane] == warp.barrier_id[arriving])) {
      return;
    }
    const Reporter& reporter = s.machine.reporter();
    ProgramFault fault;
    fault.diagnostics.push_back(reporter.error(
        "divergent barrier", s.thread(arriving), s.pc,
        fmt::format("waits at barrier {} while {} of the same warp waits at barrier {} at {}",
                    warp.barrier_id[arriving], reporter.thread(s.thread(lane)),
                    warp.barrier_id[lane], reporter.place(warp.pc[lane]))));
    fault.diagnostics.push_back(reporter.note(s.thread(lane), warp.pc[lane], "divergent barrier",
                                              "the other thread waits here"));
    throw fault;
  });
}

/// Lets the lanes of a warp that wait at a barrier go on. With .red they get the result.
template <int W>
void release(Step<W>& s, Warp<W>& warp, const Barrier& barrier) {
  const LaneMask lanes = warp.at_barrier;
  warp.at_barrier = 0;
  warp.arrived = false;
  for_each_lane(lanes, [&](int lane) {
    const uint32_t pc = warp.pc[lane];
    const auto& in = s.machine.code().instructions[pc];
    const BarrierOp op = in.text->modifiers.barrier;
    if (op != BarrierOp::kArrive) record_barrier(s, warp, lane, trace::EventKind::kBarrierRelease);
    if (op == BarrierOp::kRedPopc || op == BarrierOp::kRedAnd || op == BarrierOp::kRedOr) {
      Frame& frame =
          s.machine.frame(s.cta, warp, warp.depth[lane], s.machine.code().info[pc].function);
      uint64_t value = barrier.true_predicates;
      if (op == BarrierOp::kRedAnd) value = barrier.all_true ? 1 : 0;
      if (op == BarrierOp::kRedOr) value = barrier.true_predicates != 0 ? 1 : 0;
      std::byte* row = frame.base() + in.d[0].offset;
      const LaneMask bit = LaneMask{1} << lane;
      if (op == BarrierOp::kRedPopc) {
        reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
      } else {
        LaneMask& predicate = *reinterpret_cast<LaneMask*>(row);
        predicate = (predicate & ~bit) | (value != 0 ? bit : 0);
      }
      frame.initialised()[in.d[0].slot] |= bit;
      const InstructionInfo& info = s.machine.code().info[pc];
      if (s.machine.recorder().registers() && info.destinations[0].name != ptx::kNoIndex) {
        const uint32_t executed = warp.occurrences[size_t{info.id} * W + static_cast<size_t>(lane)];
        trace::Event e =
            s.machine.event(warp, s.cta, lane, pc, executed - 1, trace::EventKind::kRegister);
        e.width = info.destinations[0].bytes;
        e.object = info.destinations[0].name;
        e.value = value;
        s.machine.recorder().events.push_back(e);
      }
    }
    warp.pc[lane] = pc + 1;
  });
  s.machine.wake(s.cta, warp);
}

/// Releases everybody when the barrier is complete.
template <int W>
void complete_if_ready(Step<W>& s, uint32_t id) {
  Barrier& barrier = s.cta.barriers[id];
  if (barrier.arrivals == 0) return;
  const uint32_t needed = barrier.threads == 0 ? s.cta.live_warps : (barrier.threads + W - 1) / W;
  if (barrier.arrivals < needed) return;
  const Barrier complete = std::exchange(barrier, Barrier{});
  RaceDetector& races = s.machine.races();
  races.tick();
  if (complete.threads == 0) races.cta_barrier(s.cta.clock);
  for (Warp<W>& warp : s.cta.warps) {
    if (!warp.arrived || warp.at_barrier == 0) continue;
    if (warp.barrier_id[std::countr_zero(warp.at_barrier)] != id) continue;
    if (complete.threads != 0) {
      races.leave(complete.meeting, s.cta.clock, warp.first_id, warp.at_barrier);
    }
    release(s, warp, complete);
  }
}

template <int W>
[[noreturn]] void report_mismatch(const Step<W>& s, const Warp<W>& warp, int lane, uint32_t id,
                                  const Barrier& barrier) {
  const Reporter& reporter = s.machine.reporter();
  throw ProgramFault{{reporter.error(
      "divergent barrier", warp.first_id + static_cast<uint32_t>(lane), warp.pc[lane],
      fmt::format("arrives at barrier {} for {} threads, where {} arrived for {} at {}, or the two "
                  "ask for different reductions",
                  id, warp.barrier_threads[lane], reporter.thread(barrier.first_thread),
                  barrier.threads, reporter.place(barrier.first_pc)))}};
}

/// All lanes of the warp are at barriers: it arrives, if they are all at the same one.
template <int W>
void arrive_if_whole(Step<W>& s, Warp<W>& warp) {
  if (warp.arrived || warp.live == 0 || warp.at_barrier != warp.live) return;
  const int lane = std::countr_zero(warp.live);
  const uint32_t id = warp.barrier_id[lane];
  const LaneMask at_this = lanes_where<W>([&](int l) { return warp.barrier_id[l] == id; });
  if ((warp.live & ~at_this) != 0) return;
  Barrier& barrier = s.cta.barriers[id];
  const BarrierOp op = modifiers_at(s.machine, warp.pc[lane]).barrier;
  const bool reduces = op != BarrierOp::kSync && op != BarrierOp::kArrive;
  const BarrierOp reduction = reduces ? op : BarrierOp::kNone;
  if (barrier.arrivals == 0) {
    barrier.threads = warp.barrier_threads[lane];
    barrier.reduction = reduction;
    barrier.first_pc = warp.pc[lane];
    barrier.first_thread = warp.first_id + static_cast<uint32_t>(lane);
  } else if (barrier.threads != warp.barrier_threads[lane] || barrier.reduction != reduction) {
    report_mismatch(s, warp, lane, id, barrier);
  }
  ++barrier.arrivals;
  const LaneMask predicate = warp.barrier_predicate & warp.live;
  barrier.true_predicates += static_cast<uint32_t>(std::popcount(predicate));
  barrier.all_true = barrier.all_true && predicate == warp.live;
  if (barrier.threads != 0) {
    s.machine.races().tick();
    s.machine.races().arrive(barrier.meeting, s.cta.clock, warp.first_id, warp.live, true);
  }
  if (op == BarrierOp::kArrive) {
    release(s, warp, barrier);
  } else {
    warp.arrived = true;
  }
  complete_if_ready(s, id);
}

template <int W>
void bar(Step<W>& s) {
  if (s.exec == 0) return;
  Warp<W>& warp = s.warp;
  const ptx::Modifiers& m = s.in->text->modifiers;
  const bool reduces = m.barrier != BarrierOp::kSync && m.barrier != BarrierOp::kArrive;
  // Sources: number [, threads] [, predicate].
  const int predicate = reduces ? s.in->sources - 1 : s.in->sources;
  const uint32_t* id = s.template source<uint32_t>(0);
  const uint32_t* threads = predicate > 1 ? s.template source<uint32_t>(1) : nullptr;
  const LaneMask is_true = reduces ? s.predicate(predicate) : 0;
  warp.place(s.exec, s.pc);
  for_each_lane(s.exec, [&](int lane) {
    if (id[lane] >= kBarriers) {
      s.fault(lane, "invalid barrier", fmt::format("uses barrier {} of 16", id[lane]));
    }
    if (threads != nullptr && threads[lane] == 0) {
      s.fault(lane, "invalid barrier", fmt::format("uses barrier {} for 0 threads", id[lane]));
    }
    warp.barrier_id[lane] = id[lane];
    warp.barrier_threads[lane] = threads != nullptr ? threads[lane] : 0;
    record_barrier(s, warp, lane, trace::EventKind::kBarrierArrive);
    if (s.occurrence != nullptr) ++s.occurrence[lane];
  });
  check_convergence(s);
  warp.at_barrier |= s.exec;
  warp.barrier_predicate = (warp.barrier_predicate & ~s.exec) | (is_true & s.exec);
  s.active &= ~s.exec;
  s.exec = 0;
  s.leave = true;
  arrive_if_whole(s, warp);
}

}  // namespace

template <int W>
void after_exit(Step<W>& s) {
  Warp<W>& warp = s.warp;
  warp.at_sync = 0;  // they look again whether all they wait for are there
  if (warp.live != 0) {
    arrive_if_whole(s, warp);
    return;
  }
  --s.cta.live_warps;
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (s.cta.barriers[id].threads == 0) complete_if_ready(s, id);
  }
}

template <int W>
Handler<W> barrier_handler(const ptx::Instruction& in) {
  return in.opcode == ptx::Opcode::kBar ? &bar<W> : nullptr;
}

template Handler<4> barrier_handler<4>(const ptx::Instruction&);
template Handler<32> barrier_handler<32>(const ptx::Instruction&);
template void after_exit<4>(Step<4>&);
template void after_exit<32>(Step<32>&);

}  // namespace warplock::reference_interp
