#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "reference_interp/machine.h"
#include "reference_interp/ops/families.h"

/// Communication inside a warp (PTX ISA 9.7.9.5, 9.7.9.6, 9.7.13.2, 9.7.13.15 to 9.7.13.19).
namespace warplock::reference_interp {
namespace {

/// The lanes that wait for the same as the executing ones: at the same instruction, or, for
/// bar.warp.sync, at any bar.warp.sync.
template <int W>
LaneMask waiting_alike(const Step<W>& s) {
  const Warp<W>& warp = s.warp;
  const bool any_place = s.in->text->opcode == ptx::Opcode::kBarWarpSync;
  const uint32_t depth = warp.depth[std::countr_zero(s.exec)];
  LaneMask alike = 0;
  for_each_lane(warp.at_sync, [&](int lane) {
    const ptx::Instruction* text = s.machine.code().instructions[warp.pc[lane]].text;
    const bool same = any_place ? text->opcode == ptx::Opcode::kBarWarpSync
                                : warp.pc[lane] == s.pc && warp.depth[lane] == depth;
    if (same) alike |= LaneMask{1} << lane;
  });
  return alike;
}

/// A lane at a .sync instruction goes on when all live lanes of its mask are there with the same
/// mask. Those that can go on become s.exec; the other lanes wait. Afterwards warp.sync_mask &
/// s.exec are the lanes that a lane communicates with.
template <int W>
void meet(Step<W>& s, int mask_source) {
  Warp<W>& warp = s.warp;
  const uint32_t* masks = s.template source<uint32_t>(mask_source);
  for_each_lane(s.exec, [&](int lane) {
    if ((masks[lane] >> lane & 1) == 0) {
      s.fault(lane, "invalid mask",
              fmt::format("is lane {} and not in its own member mask {:#x}", lane, masks[lane]));
    }
    warp.sync_mask[lane] = masks[lane];
  });
  const LaneMask present = s.exec | waiting_alike(s);
  LaneMask ready = 0;
  LaneMask rest = s.exec;
  while (rest != 0) {
    const LaneMask mask = warp.sync_mask[std::countr_zero(rest)];
    const LaneMask alike =
        present & lanes_where<W>([&](int lane) { return warp.sync_mask[lane] == mask; });
    rest &= ~alike;
    if ((mask & warp.live & ~alike) == 0) ready |= alike;
  }
  const LaneMask waits = s.exec & ~ready;
  warp.at_sync = (warp.at_sync | waits) & ~ready;
  warp.place(waits, s.pc);
  const LaneMask woken = ready & ~s.active;
  for_each_lane(woken, [&](int lane) { ++warp.pc[lane]; });
  s.active &= ~waits;
  if ((waits | woken) != 0) s.leave = true;
  s.exec = ready;
}

/// The lanes that `lane` communicates with.
template <int W>
LaneMask partners(const Step<W>& s, int lane) {
  return s.in->text->modifiers.sync ? s.exec & s.warp.sync_mask[lane] : s.exec;
}

template <int W>
void meet_if_sync(Step<W>& s, int mask_source) {
  if (s.exec != 0 && s.in->text->modifiers.sync) meet(s, mask_source);
}

/// d|p = a of another lane (the formulas of the ISA, for lane numbers of five bits at every width).
/// A lane that does not take part has no value to give: then d is uninitialised.
template <int W>
void shfl(Step<W>& s) {
  meet_if_sync(s, 3);
  if (s.exec == 0) return;
  uint32_t a[W];
  std::copy_n(s.template source<uint32_t>(0), W, a);
  const uint32_t* b = s.template source<uint32_t>(1);
  const uint32_t* c = s.template source<uint32_t>(2);
  uint32_t values[W] = {};
  LaneMask in_range = 0;
  LaneMask known = 0;
  for_each_lane(s.exec, [&](int lane) {
    const int offset = static_cast<int>(b[lane] & 31);
    const int clamp = static_cast<int>(c[lane] & 31);
    const int segment = static_cast<int>(c[lane] >> 8 & 31);
    const int highest = (lane & segment) | (clamp & ~segment);
    const int lowest = lane & segment;
    int from = 0;
    bool valid = false;
    switch (s.in->text->modifiers.shuffle) {
      case ptx::ShuffleMode::kUp:
        from = lane - offset;
        valid = from >= highest;
        break;
      case ptx::ShuffleMode::kDown:
        from = lane + offset;
        valid = from <= highest;
        break;
      case ptx::ShuffleMode::kBfly:
        from = lane ^ offset;
        valid = from <= highest;
        break;
      default:
        from = lowest | (offset & ~segment);
        valid = from <= highest;
        break;
    }
    if (!valid) from = lane;
    const LaneMask bit = LaneMask{1} << lane;
    if (valid) in_range |= bit;
    if (from < W && (partners(s, lane) >> from & 1) != 0) {
      values[lane] = a[from];
      known |= bit;
    }
  });
  write_row<W>(s.template destination<uint32_t>(0), s.exec, [&](int lane) { return values[lane]; });
  s.set_initialised(0, s.exec, known);
  if (s.in->destinations > 1) {
    s.result_predicate(1, in_range);
    s.set_initialised(1, s.exec, s.exec);
  }
}

template <int W>
void vote(Step<W>& s) {
  meet_if_sync(s, 1);
  if (s.exec == 0) return;
  const LaneMask is_true = s.predicate(0);
  const ptx::VoteMode mode = s.in->text->modifiers.vote;
  if (mode == ptx::VoteMode::kBallot) {
    s.template result<uint32_t>([&](int lane) { return is_true & partners(s, lane); });
  } else {
    s.result_predicate(0, lanes_where<W>([&](int lane) {
                         const LaneMask among = partners(s, lane);
                         const LaneMask yes = is_true & among;
                         if (mode == ptx::VoteMode::kAll) return yes == among;
                         if (mode == ptx::VoteMode::kAny) return yes != 0;
                         return yes == among || yes == 0;
                       }));
  }
  s.set_initialised(0, s.exec, s.exec);
}

template <int W, class T>
void match(Step<W>& s) {
  meet_if_sync(s, 1);
  if (s.exec == 0) return;
  T a[W];
  std::copy_n(s.template source<T>(0), W, a);
  const bool all = s.in->text->modifiers.match == ptx::MatchMode::kAll;
  LaneMask same[W];
  LaneMask agreed = 0;
  for (int lane = 0; lane < W; ++lane) {
    const LaneMask among = partners(s, lane);
    same[lane] = among & lanes_where<W>([&](int other) { return a[other] == a[lane]; });
    if (!all) continue;
    if (same[lane] == among) {
      agreed |= LaneMask{1} << lane;
    } else {
      same[lane] = 0;
    }
  }
  s.template result<uint32_t>([&](int lane) { return same[lane]; });
  s.set_initialised(0, s.exec, s.exec);
  if (s.in->destinations > 1) {
    s.result_predicate(1, agreed);
    s.set_initialised(1, s.exec, s.exec);
  }
}

template <int W>
void activemask(Step<W>& s) {
  const LaneMask lanes = s.exec;
  s.template result<uint32_t>([&](int) { return lanes; });
}

template <class T>
T reduced(ptx::ReduxOp op, T x, T y) {
  switch (op) {
    case ptx::ReduxOp::kAdd:
      return static_cast<T>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
    case ptx::ReduxOp::kMin:
      return std::min(x, y);
    case ptx::ReduxOp::kMax:
      return std::max(x, y);
    case ptx::ReduxOp::kAnd:
      return x & y;
    case ptx::ReduxOp::kOr:
      return x | y;
    case ptx::ReduxOp::kXor:
      return x ^ y;
    case ptx::ReduxOp::kNone:
      break;
  }
  return x;
}

template <int W, class T>
void redux(Step<W>& s) {
  meet_if_sync(s, 1);
  if (s.exec == 0) return;
  uint32_t a[W];
  std::copy_n(s.template source<uint32_t>(0), W, a);
  uint32_t results[W] = {};
  for_each_lane(s.exec, [&](int lane) {
    LaneMask among = partners(s, lane);
    T value = static_cast<T>(a[std::countr_zero(among)]);
    for_each_lane(among & (among - 1), [&](int other) {
      value = reduced(s.in->text->modifiers.redux, value, static_cast<T>(a[other]));
    });
    results[lane] = static_cast<uint32_t>(value);
  });
  write_row<W>(s.template destination<uint32_t>(0), s.exec,
               [&](int lane) { return results[lane]; });
  s.set_initialised(0, s.exec, s.exec);
}

/// bar.warp.sync also orders the memory accesses of the lanes that meet.
template <int W>
void bar_warp_sync(Step<W>& s) {
  if (s.exec == 0) return;
  meet(s, 0);
  RaceDetector& races = s.machine.races();
  LaneMask rest = s.exec;
  while (rest != 0) {
    const LaneMask mask = s.warp.sync_mask[std::countr_zero(rest)];
    const LaneMask together =
        rest & lanes_where<W>([&](int lane) { return s.warp.sync_mask[lane] == mask; });
    rest &= ~together;
    Known meeting;
    races.tick();
    races.arrive(meeting, s.cta.clock, s.warp.first_id, together, together == s.warp.live);
    races.leave(meeting, s.cta.clock, s.warp.first_id, together);
  }
}

}  // namespace

template <int W>
Handler<W> warp_handler(const ptx::Instruction& in) {
  using ptx::Opcode;
  switch (in.opcode) {
    case Opcode::kShfl:
      return &shfl<W>;
    case Opcode::kVote:
      return &vote<W>;
    case Opcode::kMatch:
      return ptx::bits(in.type()) == 64 ? &match<W, uint64_t> : &match<W, uint32_t>;
    case Opcode::kActivemask:
      return &activemask<W>;
    case Opcode::kRedux:
      return ptx::is_signed(in.type()) ? &redux<W, int32_t> : &redux<W, uint32_t>;
    case Opcode::kBarWarpSync:
      return &bar_warp_sync<W>;
    default:
      return nullptr;
  }
}

template Handler<4> warp_handler<4>(const ptx::Instruction&);
template Handler<32> warp_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
