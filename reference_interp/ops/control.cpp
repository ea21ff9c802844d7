#include <bit>

#include <fmt/format.h>

#include "reference_interp/machine.h"
#include "reference_interp/ops/call.h"
#include "reference_interp/ops/families.h"
#include "reference_interp/ops/waiting.h"

/// Control flow (PTX ISA 9.7.12).
namespace warplock::reference_interp {
namespace {

/// A branch event: 1 + the module's number of the target, or 0 where the branch is not taken.
template <int W>
void record_branch(const Step<W>& s, LaneMask lanes, uint32_t target, bool taken) {
  if (!s.machine.recorder().memory()) return;
  uint64_t value = 0;
  if (taken) {
    const InstructionInfo& info = s.machine.code().info[target];
    value = uint64_t{info.id} + (info.text != nullptr ? 1 : 2);
  }
  for_each_lane(lanes, [&](int lane) {
    trace::Event e = s.machine.event(s, lane, trace::EventKind::kBranch);
    e.value = value;
    s.machine.recorder().events.push_back(e);
  });
}

/// A jump backwards after an atomic access may be a thread waiting for another one.
template <int W>
void maybe_yield(Step<W>& s, uint32_t target) {
  if (target <= s.pc && s.warp.communicated) {
    s.leave = true;
    s.yield = true;
  }
}

template <int W>
void bra(Step<W>& s) {
  const LaneMask taken = s.exec;
  const LaneMask not_taken = s.active & ~taken;
  const uint32_t target = s.in->target;
  record_branch(s, taken, target, true);
  record_branch(s, not_taken, target, false);
  s.exec = s.active;  // it has been executed either way
  if (taken == 0) return;
  maybe_yield(s, target);
  if (not_taken == 0) {
    s.next = target;
    if (s.divergent) s.leave = true;
    return;
  }
  s.warp.place(not_taken, s.next);
  s.active = taken;
  s.next = target;
  s.leave = true;
}

/// brx.idx: an index past the table is an error (PTX ISA leaves it undefined).
template <int W>
void brx_idx(Step<W>& s) {
  const std::vector<uint32_t>& table = s.machine.code().tables[s.in->target];
  const uint32_t* index = s.template source<uint32_t>(0);
  for_each_lane(s.exec, [&](int lane) {
    if (index[lane] >= table.size()) {
      s.fault(
          lane, "branch out of range",
          fmt::format("jumps to entry {} of a table with {} entries", index[lane], table.size()));
    }
    const uint32_t target = table[index[lane]];
    record_branch(s, LaneMask{1} << lane, target, true);
    s.warp.pc[lane] = target;
    maybe_yield(s, target);
  });
  record_branch(s, s.active & ~s.exec, 0, false);
  const LaneMask jumped = s.exec;
  s.exec = s.active;
  if (jumped == 0) return;
  if (s.yield) s.warp.yielded |= jumped;
  s.active &= ~jumped;
  s.leave = true;
}

template <int W>
void ret(Step<W>& s) {
  if (s.exec == 0) return;
  if (s.warp.depth[std::countr_zero(s.exec)] == 0) {
    exit_lanes(s);
  } else {
    return_lanes(s);
  }
  if (s.in->text == nullptr) s.exec = 0;  // the end of a body is no execution of its last line
}

template <int W>
void exit(Step<W>& s) {
  if (s.exec != 0) exit_lanes(s);
}

template <int W>
void trap(Step<W>& s) {
  if (s.exec != 0) s.fault(std::countr_zero(s.exec), "trap", "executes trap");
}

/// nanosleep: others may go first.
template <int W>
void nop(Step<W>& s) {
  s.warp.communicated = true;
}

}  // namespace

template <int W>
void exit_lanes(Step<W>& s) {
  const InstructionInfo& info = s.machine.code().info[s.pc];
  if (s.machine.recorder().memory() && info.id < s.machine.code().module->instruction_count) {
    for_each_lane(s.exec, [&](int lane) {
      s.machine.recorder().events.push_back(s.machine.event(s, lane, trace::EventKind::kExit));
    });
  }
  s.warp.live &= ~s.exec;
  s.active &= ~s.exec;
  s.leave = true;
  after_exit(s);
}

template <int W>
Handler<W> control_handler(const ptx::Instruction& in) {
  switch (in.opcode) {
    case ptx::Opcode::kBra:
      return &bra<W>;
    case ptx::Opcode::kBrxIdx:
      return &brx_idx<W>;
    case ptx::Opcode::kCall:
      return &call_function<W>;
    case ptx::Opcode::kRet:
      return &ret<W>;
    case ptx::Opcode::kExit:
      return &exit<W>;
    case ptx::Opcode::kTrap:
      return &trap<W>;
    case ptx::Opcode::kNop:
      return &nop<W>;
    default:
      return nullptr;
  }
}

template Handler<4> control_handler<4>(const ptx::Instruction&);
template Handler<32> control_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
