#include <fmt/format.h>

#include <algorithm>

#include "native_exec/machine.h"

/// The part of `Machine` that decides which thread runs, and what threads wait for.
namespace warplock::native_exec {
namespace {

/// After so many rounds, __activemask() no longer waits for lanes that spin.
constexpr uint64_t kActiveMaskRounds = 64;

const char* spelling(WarpOp op) {
  switch (op) {
    case WarpOp::kShuffleIdx:
    case WarpOp::kShuffleUp:
    case WarpOp::kShuffleDown:
    case WarpOp::kShuffleXor:
      return "shuffle";
    case WarpOp::kVoteAll:
    case WarpOp::kVoteAny:
    case WarpOp::kVoteUniform:
    case WarpOp::kVoteBallot:
      return "vote";
    case WarpOp::kMatchAny:
    case WarpOp::kMatchAll:
      return "match";
    case WarpOp::kSync:
      return "__syncwarp";
    default:
      return "reduction";
  }
}

}  // namespace

Machine::Thread* Machine::lane(uint32_t warp, uint32_t lane_number) {
  const uint64_t index = uint64_t{warp} * launch_.warp_width + lane_number;
  if (lane_number >= launch_.warp_width || index >= threads_.size()) return nullptr;
  return &threads_[index];
}

void Machine::fibre_body() {
  Machine& machine = current();
  machine.entry_->call(machine.arguments_.data());
  machine.running_->state = State::kExited;
  machine.on_exit();
  machine.stop();
}

/// Lets the others run.
void Machine::wait() {
  warplock_switch_fibre(&running_->context, scheduler_);
}

/// Lets the others run, for ever.
void Machine::stop() {
  FibreContext never;
  warplock_switch_fibre(&never, scheduler_);
  __builtin_unreachable();
}

bool Machine::run_cta() {
  while (live_ > 0) {
    ++round_;
    bool progress = false;
    for (Thread& thread : threads_) {
      if (thread.state != State::kRunnable) continue;
      progress = true;
      running_ = &thread;
      warplock_switch_fibre(&scheduler_, thread.context);
      if (refusal_) return false;
    }
    if (release_active_masks(!progress)) progress = true;
    if (!progress) {
      refusal_ = deadlock();
      return false;
    }
  }
  return true;
}

/// A thread less: perhaps the others waited for it alone.
void Machine::on_exit() {
  --live_;
  complete_barrier();
  const uint32_t warp = running_->warp;
  for (uint32_t i = 0; i < launch_.warp_width; ++i) {
    const Thread* const other = lane(warp, i);
    if (other != nullptr && other->state == State::kWarp) complete_warp(warp, other->request.mask);
  }
}

uint32_t Machine::barrier(BarrierOp op, uint32_t predicate, uint32_t site) {
  running_->state = State::kBarrier;
  running_->site = site;
  running_->barrier = op;
  running_->predicate = predicate != 0;
  if (!complete_barrier()) wait();
  return running_->result;
}

bool Machine::complete_barrier() {
  uint32_t waiting = 0, holds = 0;
  const Thread* first = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    if (first == nullptr) first = &thread;
    ++waiting;
    holds += thread.predicate ? 1 : 0;
    if (thread.barrier != first->barrier) {
      fault("invalid barrier", "threads of a CTA meet at barriers of different kinds", thread.site);
    }
  }
  if (waiting == 0 || waiting != live_) return false;
  uint32_t result = holds;
  if (first->barrier == BarrierOp::kAnd) result = holds == waiting ? 1 : 0;
  if (first->barrier == BarrierOp::kOr) result = holds != 0 ? 1 : 0;
  for (Thread& thread : threads_) {
    if (thread.state != State::kBarrier) continue;
    thread.state = State::kRunnable;
    thread.result = result;
  }
  return true;
}

WarpResult Machine::warp(const WarpRequest& request) {
  Thread& self = *running_;
  if ((request.mask >> self.lane & 1) == 0) {
    fault("invalid mask",
          fmt::format("lane {} takes part in a {} whose mask {:#x} does not name it", self.lane,
                      spelling(request.op), request.mask),
          request.site);
  }
  self.state = State::kWarp;
  self.site = request.site;
  self.request = request;
  complete_warp(self.warp, request.mask);
  if (self.state == State::kWarp) wait();
  return {self.result, self.predicate};
}

/// When every live lane of the mask waits with this very mask, computes the results and lets them
/// go.
void Machine::complete_warp(uint32_t warp, uint32_t mask) {
  uint32_t members = 0;
  LaneArray<WarpRequest> requests;
  for (uint32_t i = 0; i < launch_.warp_width; ++i) {
    const Thread* const thread = lane(warp, i);
    if (thread == nullptr || (mask >> i & 1) == 0 || thread->state == State::kExited) continue;
    if (thread->state != State::kWarp || thread->request.mask != mask) return;
    members |= uint32_t{1} << i;
    requests[i] = thread->request;
  }
  if (members == 0) return;
  const WarpOp op = requests[static_cast<size_t>(__builtin_ctz(members))].op;
  LaneArray<WarpResult> results;
  for (uint32_t i = 0; i < launch_.warp_width; ++i) {
    if ((members >> i & 1) == 0 || requests[i].op == op) continue;
    fault("invalid mask",
          fmt::format("lanes of mask {:#x} meet at different operations: {} (line {}) and {}", mask,
                      spelling(op),
                      image_.sites[requests[static_cast<size_t>(__builtin_ctz(members))].site].line,
                      spelling(requests[i].op)),
          requests[i].site);
  }
  perform(members, requests, results);
  for (uint32_t i = 0; i < launch_.warp_width; ++i) {
    if ((members >> i & 1) == 0) continue;
    Thread& thread = *lane(warp, i);
    thread.state = State::kRunnable;
    thread.result = results[i].value;
    thread.predicate = results[i].predicate;
  }
}

/// Which lanes run together is not fixed by CUDA. Here they are those that come to the same
/// __activemask() before any of the warp's lanes could go on elsewhere.
uint32_t Machine::active_mask(uint32_t site) {
  running_->state = State::kActiveMask;
  running_->site = site;
  running_->waiting_since = round_;
  wait();
  return running_->result;
}

bool Machine::release_active_masks(bool anyway) {
  bool released = false;
  for (uint32_t first = 0; first < threads_.size(); first += launch_.warp_width) {
    const auto begin = threads_.begin() + first;
    const auto end =
        threads_.begin() + std::min<size_t>(threads_.size(), first + size_t{launch_.warp_width});
    const bool others_run =
        std::any_of(begin, end, [](const Thread& t) { return t.state == State::kRunnable; });
    for (auto thread = begin; thread != end; ++thread) {
      if (thread->state != State::kActiveMask) continue;
      if (others_run && !anyway && round_ - thread->waiting_since < kActiveMaskRounds) continue;
      uint32_t mask = 0;
      for (auto other = begin; other != end; ++other) {
        if (other->state == State::kActiveMask && other->site == thread->site) {
          mask |= uint32_t{1} << other->lane;
        }
      }
      const uint32_t site = thread->site;
      for (auto other = begin; other != end; ++other) {
        if (other->state != State::kActiveMask || other->site != site) continue;
        other->state = State::kRunnable;
        other->result = mask;
      }
      released = true;
    }
  }
  return released;
}

// ---- what ends a run
// ------------------------------------------------------------------------------

executor::Refusal Machine::refuse(executor::Refusal::Kind kind, const std::string& klass,
                                  const std::string& what, uint32_t site) const {
  executor::Refusal refusal;
  refusal.kind = kind;
  refusal.reason = what;
  diagnostics::Diagnostic diagnostic;
  diagnostic.klass = klass;
  diagnostic.message = what;
  diagnostic.file = cuda_path_;
  diagnostic.position.line = image_.sites[site].line;
  refusal.diagnostics.push_back(std::move(diagnostic));
  return refusal;
}

executor::Refusal Machine::step_limit(uint32_t site) const {
  return refuse(executor::Refusal::Kind::kFault, "step limit",
                fmt::format("the kernel did not end within {} steps", launch_.max_steps), site);
}

executor::Refusal Machine::deadlock() const {
  std::string waiting;
  uint32_t site = 0;
  // One line for each place where threads wait, with the first of them.
  std::vector<std::pair<uint32_t, uint32_t>> places;  // site, number of threads
  for (const Thread& thread : threads_) {
    if (thread.state != State::kBarrier && thread.state != State::kWarp) continue;
    const auto known = std::find_if(places.begin(), places.end(),
                                    [&](const auto& p) { return p.first == thread.site; });
    if (known != places.end()) {
      ++known->second;
      continue;
    }
    places.emplace_back(thread.site, 1);
  }
  for (const auto& [place, count] : places) {
    if (waiting.empty()) site = place;
    waiting += fmt::format("{}{} at {} (line {})", waiting.empty() ? "" : ", ", count,
                           image_.sites[place].text, image_.sites[place].line);
  }
  return refuse(executor::Refusal::Kind::kFault, "deadlock",
                fmt::format("deadlock in CTA {}: every live thread waits: {}", cta_, waiting),
                site);
}

void Machine::fault(const std::string& klass, const std::string& what, uint32_t site) {
  refusal_ = refuse(executor::Refusal::Kind::kFault, klass,
                    fmt::format("{}, by thread {} of CTA {}", what, running_->index, cta_), site);
  stop();
}

void Machine::unsupported(uint32_t reason, uint32_t site) {
  refusal_ = refuse(executor::Refusal::Kind::kUnsupported, "unsupported",
                    image_.unsupported[reason], site);
  stop();
}

void Machine::out_of_memory(uint32_t site) {
  // An exception could not leave the fibre: generated code has no tables for unwinding.
  events_ = {};
  refusal_ = refuse(executor::Refusal::Kind::kError, "out of memory",
                    "the trace does not fit into memory", site);
  stop();
}

void Machine::check_steps(uint32_t site) {
  if (image_.counters->steps <= launch_.max_steps) return;
  refusal_ = step_limit(site);
  stop();
}

void Machine::check_stack(uint64_t bytes, uint32_t site) {
  // What a call needs besides the callee's variables: spilled registers, and the hooks.
  constexpr uint64_t kReserve = 16 * 1024;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const auto low = reinterpret_cast<uint64_t>(stacks_.low(running_->index));
  if (here >= low && here - low >= bytes + kReserve) return;
  fault("stack overflow", "calls are nested too deeply", site);
}

uint32_t Machine::special(Special which) const {
  const uint32_t index = running_->index, lane_number = running_->lane;
  const auto& block = launch_.block;
  const uint32_t bit = uint32_t{1} << lane_number;
  switch (which) {
    case Special::kThreadX:
      return index % block[0];
    case Special::kThreadY:
      return index / block[0] % block[1];
    case Special::kThreadZ:
      return index / block[0] / block[1];
    case Special::kBlockX:
      return cta_position_[0];
    case Special::kBlockY:
      return cta_position_[1];
    case Special::kBlockZ:
      return cta_position_[2];
    case Special::kBlockDimX:
      return block[0];
    case Special::kBlockDimY:
      return block[1];
    case Special::kBlockDimZ:
      return block[2];
    case Special::kGridDimX:
      return launch_.grid[0];
    case Special::kGridDimY:
      return launch_.grid[1];
    case Special::kGridDimZ:
      return launch_.grid[2];
    case Special::kLane:
      return lane_number;
    case Special::kWarp:
      return running_->warp;
    case Special::kWarpCount:
      return (launch_.threads_per_cta() + launch_.warp_width - 1) / launch_.warp_width;
    case Special::kWarpSize:
      return launch_.warp_width;
    case Special::kLaneMaskEq:
      return bit;
    case Special::kLaneMaskLe:
      return bit | (bit - 1);
    case Special::kLaneMaskLt:
      return bit - 1;
    case Special::kLaneMaskGe:
      return ~(bit - 1);
    case Special::kLaneMaskGt:
      return ~(bit | (bit - 1));
  }
  return 0;
}

}  // namespace warplock::native_exec
