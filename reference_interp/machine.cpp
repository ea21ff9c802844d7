#include "reference_interp/machine.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

/// Executing: the loop over instructions, frames, and what is recorded.
namespace warplock::reference_interp {

template <int W>
Machine<W>::Machine(const Code<W>& code, uint32_t entry, Memory& memory,
                    const executor::Launch& launch, const Options& options, Recorder& recorder)
    : code_(code),
      entry_(entry),
      memory_(memory),
      launch_(launch),
      options_(options),
      recorder_(recorder),
      reporter_(*code.module, launch, code.info),
      races_(W, launch.threads_per_cta()),
      random_(options.seed) {}

/// Runs the active lanes from step.pc until they jump, wait or exit in a way that asks for a new
/// choice of lanes, reach `stop`, or have used up `budget` (in instructions).
template <int W>
void Machine<W>::run_lanes(Step<W>& s, uint32_t stop, uint64_t& budget) {
  const DecodedInstruction<W>* const instructions = code_.instructions.data();
  const bool traced = recorder_.memory();
  const uint64_t size = static_cast<uint64_t>(std::popcount(s.active));
  const uint64_t affordable = (launch_.max_steps - steps_) / size;
  const uint64_t allowance = std::min(budget, affordable);
  uint64_t count = 0;
  s.leave = false;
  while (!s.leave && s.pc != stop) {
    if (count == allowance) {
      if (count == affordable) report_step_limit(s);
      break;
    }
    ++count;
    const DecodedInstruction<W>& in = instructions[s.pc];
    s.in = &in;
    s.exec = (in.flags & kGuarded) != 0 ? evaluate_guard(s) : s.active;
    s.next = s.pc + 1;
    if (s.exec != 0 || (in.flags & kControl) != 0) {
      if ((in.flags & kReadsClock) != 0) refresh_clock(s);
      if ((in.flags & kPropagates) == 0) check_initialised(s);
      if ((in.flags & (kPropagates | kControl)) == 0) {
        for (int k = 0; k < in.destinations; ++k) s.initialised[in.d[k].slot] |= s.exec;
      }
      if (traced) {
        s.occurrence = &s.warp.occurrences[size_t{code_.info[s.pc].id} * W];
        in.handler(s);
        if (recorder_.registers() && in.destinations != 0) record_registers(s);
        for (int lane = 0; lane < W; ++lane) {
          s.occurrence[lane] += (s.exec & kLaneBits<W>.bit[lane]) != 0 ? 1 : 0;
        }
      } else {
        in.handler(s);
      }
    }
    s.pc = s.next;
  }
  steps_ += count * size;
  budget -= count;
  s.warp.place(s.active, s.pc);
}

template <int W>
LaneMask Machine<W>::evaluate_guard(Step<W>& s) {
  const DecodedInstruction<W>& in = *s.in;
  if ((s.initialised[in.guard.slot] & s.active) != s.active) report_uninitialised(s);
  const LaneMask value = *reinterpret_cast<const LaneMask*>(s.frame + in.guard.offset);
  return s.active & ((in.flags & kGuardNegated) != 0 ? ~value : value);
}

template <int W>
void Machine<W>::check_initialised(const Step<W>& s) {
  LaneMask ok = s.exec;
  for (int k = 0; k < s.in->sources; ++k) ok &= s.initialised[s.in->s[k].slot];
  if (ok != s.exec) report_uninitialised(s);
}

/// Finds the first register that has no value in the first lane that misses one.
template <int W>
void Machine<W>::report_uninitialised(const Step<W>& s) {
  const InstructionInfo& info = code_.info[s.pc];
  const FunctionCode& function = code_.functions[info.function];
  const auto report = [&](const OperandRef& operand, LaneMask lanes) {
    const LaneMask missing = lanes & ~s.initialised[operand.slot];
    if (missing == 0 || operand.slot >= function.registers) return;
    s.fault(std::countr_zero(missing), "uninitialised",
            fmt::format("reads register {}, to which this thread has written nothing",
                        function.function->registers[operand.slot].name));
  };
  if ((s.in->flags & kGuarded) != 0) report(s.in->guard, s.active);
  for (int k = 0; k < s.in->sources; ++k) report(s.in->s[k], s.exec);
  s.fault(std::countr_zero(s.active), "uninitialised", "reads a value that was never written");
}

template <int W>
void Machine<W>::report_step_limit(const Step<W>& s) {
  s.fault(std::countr_zero(s.active), "step limit",
          fmt::format("still running after {} thread-instructions (max_steps); does a loop never "
                      "end, or does it wait for a thread that cannot run?",
                      launch_.max_steps));
}

template <int W>
void Step<W>::fault(int lane, std::string klass, const std::string& message) const {
  throw ProgramFault{{machine.reporter().error(std::move(klass), thread(lane), pc, message)}};
}

template <int W>
Frame& Machine<W>::frame(Cta<W>& cta, Warp<W>& warp, uint32_t depth, uint32_t function) {
  auto& frames = warp.levels[depth].frames;
  if (frames.empty()) frames.resize(code_.functions.size());
  std::unique_ptr<Frame>& frame = frames[function];
  if (frame != nullptr) return *frame;
  const FunctionCode& layout = code_.functions[function];
  frame = std::make_unique<Frame>(layout);
  std::fill_n(frame->initialised() + layout.registers, layout.slots - layout.registers,
              ~LaneMask{0});
  const auto fill = [&](const OperandRef& place, RowKind kind, auto value) {
    std::byte* row = frame->base() + place.offset;
    if (kind == RowKind::kPredicate) {
      *reinterpret_cast<LaneMask*>(row) = value(0) != 0 ? ~LaneMask{0} : 0;
      return;
    }
    for (int lane = 0; lane < W; ++lane) {
      if (kind == RowKind::k64) {
        reinterpret_cast<uint64_t*>(row)[lane] = value(lane);
      } else {
        reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value(lane));
      }
    }
  };
  for (const FrameConstant& c : layout.constants) {
    fill(c.place, c.kind, [&](int) { return c.value; });
  }
  for (const FrameSpecial& special : layout.specials) {
    fill(special.place, special.kind,
         [&](int lane) { return special_value(cta, warp, lane, special.special); });
  }
  return *frame;
}

template <int W>
void Machine<W>::enter(Cta<W>& cta, Warp<W>& warp, LaneMask lanes, uint32_t depth,
                       uint32_t function) {
  const FunctionCode& layout = code_.functions[function];
  Frame& entered = frame(cta, warp, depth, function);
  for (uint32_t slot = 0; slot < layout.registers; ++slot) entered.initialised()[slot] &= ~lanes;
  const auto& base = warp.levels[depth].local_base;
  for (const FrameLocalAddress& address : layout.local_addresses) {
    std::byte* row = entered.base() + address.place.offset;
    for_each_lane(lanes, [&](int lane) {
      const uint64_t value = kLocalBase + base[lane] + address.offset;
      if (address.kind == RowKind::k64) {
        reinterpret_cast<uint64_t*>(row)[lane] = value;
      } else {
        reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
      }
    });
  }
  if (layout.local_bytes != 0) {
    for_each_lane(lanes, [&](int lane) { warp.local[lane].push(base[lane], layout); });
  }
}

/// %clock and its relatives count instructions: they grow, and nothing else is promised.
template <int W>
void Machine<W>::refresh_clock(Step<W>& s) {
  const FunctionCode& layout = code_.functions[code_.info[s.pc].function];
  for (const FrameSpecial& special : layout.specials) {
    std::byte* row = s.frame + special.place.offset;
    const uint64_t value = special_value(s.cta, s.warp, 0, special.special);
    switch (special.special) {
      case ptx::SpecialRegister::kClock:
      case ptx::SpecialRegister::kClockHi:
      case ptx::SpecialRegister::kClock64:
      case ptx::SpecialRegister::kGlobaltimer:
      case ptx::SpecialRegister::kGlobaltimerLo:
      case ptx::SpecialRegister::kGlobaltimerHi:
        for (int lane = 0; lane < W; ++lane) {
          if (special.kind == RowKind::k64) {
            reinterpret_cast<uint64_t*>(row)[lane] = value;
          } else {
            reinterpret_cast<uint32_t*>(row)[lane] = static_cast<uint32_t>(value);
          }
        }
        break;
      default:
        break;
    }
  }
  // The slice has not been added to steps_ yet; this keeps readings apart.
  ++clock_;
}

/// Special registers (PTX ISA 10).
template <int W>
uint64_t Machine<W>::special_value(const Cta<W>& cta, const Warp<W>& warp, int lane,
                                   ptx::SpecialRegister special) const {
  using S = ptx::SpecialRegister;
  const uint32_t thread = warp.first_thread + static_cast<uint32_t>(lane);
  const auto& block = launch_.block;
  const uint32_t lane_bit = kLaneBits<W>.bit[lane];
  switch (special) {
    case S::kTidX:
      return thread % block[0];
    case S::kTidY:
      return thread / block[0] % block[1];
    case S::kTidZ:
      return thread / block[0] / block[1];
    case S::kNtidX:
      return block[0];
    case S::kNtidY:
      return block[1];
    case S::kNtidZ:
      return block[2];
    case S::kCtaidX:
      return cta.id[0];
    case S::kCtaidY:
      return cta.id[1];
    case S::kCtaidZ:
      return cta.id[2];
    case S::kNctaidX:
      return launch_.grid[0];
    case S::kNctaidY:
      return launch_.grid[1];
    case S::kNctaidZ:
      return launch_.grid[2];
    case S::kLaneid:
      return static_cast<uint32_t>(lane);
    case S::kWarpid:
      return warp.index;
    case S::kNwarpid:
      return cta.warps.size();
    case S::kWarpSize:
      return W;
    case S::kSmid:
      return 0;
    case S::kNsmid:
      return 1;
    case S::kGridid:
      return 1;
    case S::kLanemaskEq:
      return lane_bit;
    case S::kLanemaskLe:
      return lane_bit | (lane_bit - 1);
    case S::kLanemaskLt:
      return lane_bit - 1;
    case S::kLanemaskGe:
      return kAllLanes<W> & ~(lane_bit - 1);
    case S::kLanemaskGt:
      return kAllLanes<W> & ~(lane_bit | (lane_bit - 1));
    case S::kClock:
      return static_cast<uint32_t>(clock_ + steps_);
    case S::kClockHi:
      return (clock_ + steps_) >> 32;
    case S::kClock64:
      return clock_ + steps_;
    case S::kGlobaltimer:
      return clock_ + steps_;
    case S::kGlobaltimerLo:
      return static_cast<uint32_t>(clock_ + steps_);
    case S::kGlobaltimerHi:
      return (clock_ + steps_) >> 32;
    case S::kTotalSmemSize:
      return memory_.static_shared_bytes + launch_.shared_bytes;
    case S::kAlignedSmemSize:
      return memory_.static_shared_bytes + launch_.shared_bytes;
    case S::kDynamicSmemSize:
      return launch_.shared_bytes;
  }
  return 0;
}

template <int W>
trace::Event Machine<W>::event(const Warp<W>& warp, const Cta<W>& cta, int lane, uint32_t pc,
                               uint32_t occurrence, trace::EventKind kind) const {
  trace::Event e;
  e.cta = cta.index;
  e.thread = warp.first_thread + static_cast<uint32_t>(lane);
  e.instruction = code_.info[pc].id;
  e.occurrence = occurrence;
  e.kind = kind;
  return e;
}

template <int W>
void Machine<W>::record_registers(const Step<W>& s) {
  const InstructionInfo& info = code_.info[s.pc];
  for (size_t k = 0; k < info.destinations.size(); ++k) {
    const InstructionInfo::Destination& destination = info.destinations[k];
    if (destination.name == ptx::kNoIndex) continue;
    trace::Event e;
    e.cta = s.cta.index;
    e.instruction = info.id;
    e.kind = trace::EventKind::kRegister;
    e.width = destination.bytes;
    e.element = static_cast<uint8_t>(k);
    e.object = destination.name;
    const std::byte* row = s.frame + s.in->d[k].offset;
    for_each_lane(s.exec & s.initialised[s.in->d[k].slot], [&](int lane) {
      e.thread = s.warp.first_thread + static_cast<uint32_t>(lane);
      e.occurrence = s.occurrence[lane];
      switch (destination.kind) {
        case RowKind::kPredicate:
          e.value = *reinterpret_cast<const LaneMask*>(row) >> lane & 1;
          break;
        case RowKind::k32:
          e.value = reinterpret_cast<const uint32_t*>(row)[lane];
          break;
        case RowKind::k64:
          e.value = reinterpret_cast<const uint64_t*>(row)[lane];
          break;
      }
      recorder_.events.push_back(e);
    });
  }
}

template <int W>
void Machine<W>::wake(Cta<W>& cta, Warp<W>& warp) {
  if (warp.queued || warp.runnable() == 0) return;
  warp.queued = true;
  queue_.push_back({&cta, &warp});
}

template class Machine<4>;
template class Machine<32>;
template struct Step<4>;
template struct Step<32>;

}  // namespace warplock::reference_interp
