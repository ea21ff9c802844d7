#include "reference_interp/ops/call.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "reference_interp/address_map.h"
#include "reference_interp/machine.h"

namespace warplock::reference_interp {
namespace {

/// One side of a call: registers and, lane by lane, where the local frame begins.
template <int W>
struct Side {
  Frame* frame;
  const std::array<uint32_t, W>* local_base;
};

/// Copies one argument or return value, "uninitialised" included.
template <int W>
void transfer(Warp<W>& warp, LaneMask lanes, const Transfer& t, const Side<W>& from,
              const Side<W>& to) {
  for_each_lane(lanes, [&](int lane) {
    LocalMemory& local = warp.local[lane];
    const size_t source = (*from.local_base)[lane] + t.from_offset;
    const size_t target = (*to.local_base)[lane] + t.to_offset;
    if (t.from_memory && t.to_memory) {
      std::memmove(&local.bytes[target], &local.bytes[source], t.bytes);
      std::memmove(&local.state[target], &local.state[source], t.bytes);
      return;
    }
    uint64_t value = 0;
    bool known = true;
    if (t.from_memory) {
      std::memcpy(&value, &local.bytes[source], t.bytes);
      for (uint32_t i = 0; i < t.bytes; ++i) {
        known = known && local.state[source + i] == LocalMemory::kWritten;
      }
    } else {
      const std::byte* row = from.frame->base() + t.from_row.offset;
      value = t.kind == RowKind::k64 ? reinterpret_cast<const uint64_t*>(row)[lane]
                                     : reinterpret_cast<const uint32_t*>(row)[lane];
      known = (from.frame->initialised()[t.from_row.slot] >> lane & 1) != 0;
    }
    if (t.to_memory) {
      std::memcpy(&local.bytes[target], &value, t.bytes);
      std::fill_n(local.state.begin() + static_cast<std::ptrdiff_t>(target), t.bytes,
                  uint8_t{known ? LocalMemory::kWritten : LocalMemory::kUnwritten});
      return;
    }
    std::byte* row = to.frame->base() + t.to_row.offset;
    if (t.kind == RowKind::k64) {
      reinterpret_cast<uint64_t*>(row)[lane] = value;
    } else {
      reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
    }
    LaneMask& initialised = to.frame->initialised()[t.to_row.slot];
    initialised = (initialised & ~(LaneMask{1} << lane)) | LaneMask{known} << lane;
  });
}

/// The register events of a call are those of its results, when they come back.
template <int W>
void record_results(const Step<W>& s, LaneMask lanes, uint32_t call_pc, const CallSite& site,
                    Frame& caller) {
  Recorder& recorder = s.machine.recorder();
  if (!recorder.registers()) return;
  const InstructionInfo& info = s.machine.code().info[call_pc];
  for (size_t k = 0; k < site.returns.size(); ++k) {
    const Transfer& t = site.returns[k];
    if (t.to_memory || info.destinations[k].name == ptx::kNoIndex) continue;
    const std::byte* row = caller.base() + t.to_row.offset;
    for_each_lane(lanes & caller.initialised()[t.to_row.slot], [&](int lane) {
      const uint32_t executed = s.warp.occurrences[size_t{info.id} * W + static_cast<size_t>(lane)];
      trace::Event e =
          s.machine.event(s.warp, s.cta, lane, call_pc, executed - 1, trace::EventKind::kRegister);
      e.width = info.destinations[k].bytes;
      e.element = static_cast<uint8_t>(k);
      e.object = info.destinations[k].name;
      e.value = t.kind == RowKind::k64 ? reinterpret_cast<const uint64_t*>(row)[lane]
                                       : reinterpret_cast<const uint32_t*>(row)[lane];
      recorder.events.push_back(e);
    });
  }
}

}  // namespace

template <int W>
void call_function(Step<W>& s) {
  if (s.exec == 0) return;
  Warp<W>& warp = s.warp;
  const int first = std::countr_zero(s.exec);
  const uint32_t caller_depth = warp.depth[first];
  const uint32_t depth = caller_depth + 1;
  const CallSite& site = s.machine.code().calls.at(s.pc);
  const FunctionCode& callee = s.machine.code().functions[site.callee];
  if (depth > kMaxCallDepth) {
    s.fault(first, "stack overflow",
            fmt::format("calls {} at a depth of {}", callee.function->name, kMaxCallDepth));
  }
  if (warp.levels.size() <= depth) warp.levels.resize(depth + 1);
  auto& level = warp.levels[depth];
  for_each_lane(s.exec, [&](int lane) {
    const size_t base = (warp.local[lane].bytes.size() + kLocalFrameAlignment - 1) /
                        kLocalFrameAlignment * kLocalFrameAlignment;
    if (base + callee.local_bytes > kMaxLocalBytes) {
      s.fault(lane, "stack overflow",
              fmt::format("calls {}, which needs {} bytes of local memory; {} of {} are in use",
                          callee.function->name, callee.local_bytes, base, kMaxLocalBytes));
    }
    level.local_base[lane] = static_cast<uint32_t>(base);
    level.return_pc[lane] = s.pc + 1;
  });
  s.machine.enter(s.cta, warp, s.exec, depth, site.callee);
  const uint32_t caller = s.machine.code().info[s.pc].function;
  const Side<W> from{&s.machine.frame(s.cta, warp, caller_depth, caller),
                     &warp.levels[caller_depth].local_base};
  const Side<W> to{&s.machine.frame(s.cta, warp, depth, site.callee), &level.local_base};
  for (const Transfer& t : site.arguments) transfer(warp, s.exec, t, from, to);
  for_each_lane(s.exec, [&](int lane) {
    warp.pc[lane] = callee.start;
    warp.depth[lane] = depth;
  });
  s.active &= ~s.exec;
  s.leave = true;
}

template <int W>
void return_lanes(Step<W>& s) {
  Warp<W>& warp = s.warp;
  const uint32_t depth = warp.depth[std::countr_zero(s.exec)];
  const uint32_t callee = s.machine.code().info[s.pc].function;
  const auto& level = warp.levels[depth];
  const Side<W> from{&s.machine.frame(s.cta, warp, depth, callee), &level.local_base};
  LaneMask rest = s.exec;
  while (rest != 0) {
    const uint32_t return_pc = level.return_pc[std::countr_zero(rest)];
    const LaneMask together =
        rest & lanes_where<W>([&](int lane) { return level.return_pc[lane] == return_pc; });
    rest &= ~together;
    const uint32_t call_pc = return_pc - 1;
    const CallSite& site = s.machine.code().calls.at(call_pc);
    const uint32_t caller = s.machine.code().info[call_pc].function;
    const Side<W> to{&s.machine.frame(s.cta, warp, depth - 1, caller),
                     &warp.levels[depth - 1].local_base};
    for (const Transfer& t : site.returns) transfer(warp, together, t, from, to);
    record_results(s, together, call_pc, site, *to.frame);
    for_each_lane(together, [&](int lane) {
      warp.local[lane].pop(level.local_base[lane]);
      warp.pc[lane] = return_pc;
      warp.depth[lane] = depth - 1;
    });
  }
  s.active &= ~s.exec;
  s.leave = true;
}

template void call_function<4>(Step<4>&);
template void call_function<32>(Step<32>&);
template void return_lanes<4>(Step<4>&);
template void return_lanes<32>(Step<32>&);

}  // namespace warplock::reference_interp
