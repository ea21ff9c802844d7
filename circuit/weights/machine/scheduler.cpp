#include <cmath>

#include <fmt/format.h>

#include "circuit/weights/machine/machine.h"

/// Which block comes next: the lowest warp that can run, in it the lowest block, for the lanes that
/// wait there. Program counters, exit and wait flags are state heads by lane, row = warp; a CTA's
/// start clears them by decay, a barrier's release the wait flags.
namespace warplock::weights {
namespace {

/// Places in Control::next_pc, behind the block's bits.
uint32_t exit_bit(const Machine& m) {
  return m.sizes.block_bits;
}
uint32_t serial_bit(const Machine& m) {
  return m.sizes.block_bits + 1;
}

/// A value of every lane, kept for the warp that executes; `read` says which warp is looked up.
Head lane_head(Machine& m, const std::string& name, uint32_t lane, const Signals& values,
               const Signals& outputs, const Address& read, Signals clear) {
  const TokenFields& t = m.token;
  Head head;
  head.name = fmt::format("{} lane {}", name, lane);
  head.write = {t.warp, {is(t.exec), is(t.mask[lane])}};
  head.read = read;
  head.rows = m.spec.warps;
  for (const Signal& value : values) head.values.push_back(value);
  head.outputs = outputs;
  head.clear = std::move(clear);
  return head;
}

Head existing_lanes_head(Machine& m, const Signals& outputs, const Address& read) {
  const TokenFields& t = m.token;
  Head head;
  head.name = "existing lanes";
  head.write = {t.warp, {is(t.config)}};
  head.read = read;
  head.rows = m.spec.warps;
  for (const Signal& lane : t.mask) head.values.push_back(lane);
  head.outputs = outputs;
  return head;
}

/// A bit a warp, gathered from all warps at once.
Head all_warps_head(Machine& m, const std::string& name, const Signals& values,
                    const Signals& outputs, Signals clear) {
  Head head;
  head.name = name;
  head.write = {m.token.warp, {is(m.token.exec)}};
  head.read_all = true;
  head.rows = m.spec.warps;
  for (const Signal& value : values) head.values.push_back(value);
  head.outputs = outputs;
  head.clear = std::move(clear);
  return head;
}

}  // namespace

void read_thread_states(Machine& m) {
  const TokenFields& t = m.token;
  Control& k = m.control;
  Address own_warp = {t.warp, {is(t.exec)}};
  k.lane_exited = allocate_reads(m, kLanes);
  k.lane_waiting = allocate_reads(m, kLanes);
  k.lane_exists = allocate_reads(m, kLanes);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    add_head(m, lane_head(m, "exited", lane, {k.next_pc[lane][exit_bit(m)]}, {k.lane_exited[lane]},
                          own_warp, {t.cta}));
    add_head(m, lane_head(m, "waiting", lane, {m.block.barrier}, {k.lane_waiting[lane]}, own_warp,
                          {t.cta, t.release}));
  }
  add_head(m, existing_lanes_head(m, k.lane_exists, own_warp));
}

void find_warp_status(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("scheduler");
  const TokenFields& t = m.token;
  Control& k = m.control;
  k.warp_exited = c.allocate(m.spec.warps);
  k.warp_waiting = c.allocate(m.spec.warps);
  Form exited = sum(k.lane_exited) - sum(k.lane_exists);  // 0 when every lane has exited
  Form stuck = exited + sum(k.lane_waiting);              // 0 when none can run
  for (uint32_t warp = 0; warp < m.spec.warps; ++warp) {
    Form here = 16.0 * (all_of(Conditions{is(t.exec)} + spells(t.warp, warp)) - 1.0);
    step(c, exited, 0, {{k.warp_exited[warp], 1}, {k.warp_waiting[warp], -1}}, here);
    step(c, stuck, 0, {{k.warp_waiting[warp], 1}}, here);
  }
}

void read_warp_states(Machine& m) {
  const TokenFields& t = m.token;
  Control& k = m.control;
  uint32_t warps = m.spec.warps;
  // Read as a sum over all rows: 8 / (rows written), so a set bit is at least 1.
  k.raw_exists = allocate_reads(m, warps, 8);
  k.raw_exited = allocate_reads(m, warps, 8);
  k.raw_waiting = allocate_reads(m, warps, 8);
  Head head;
  head.name = "existing warps";
  head.write = {t.warp, {is(t.config)}};
  head.read_all = true;
  head.rows = warps;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    // Values are cut at 0; the factor keeps a mismatch so far below that silu gives exactly 0.
    Form holds = all_of(Conditions{is(t.release)} + spells(t.warp, warp));
    head.values.push_back(4.0 * holds - 3.0);
  }
  head.outputs = k.raw_exists;
  add_head(m, head);
  add_head(m, all_warps_head(m, "exited warps", k.warp_exited, k.raw_exited, {t.cta}));
  add_head(m,
           all_warps_head(m, "waiting warps", k.warp_waiting, k.raw_waiting, {t.cta, t.release}));
}

void list_warps(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("scheduler");
  Control& k = m.control;
  k.runnable = c.allocate(m.spec.warps);
  k.blocked = c.allocate(m.spec.warps);
  for (uint32_t warp = 0; warp < m.spec.warps; ++warp) {
    Form held = Form(k.raw_exited[warp]) + k.raw_waiting[warp];
    step(c, Form(k.raw_exists[warp]) - 16.0 * held, 1, {{k.runnable[warp], 1}});
    step(c, k.raw_waiting[warp], 1, {{k.blocked[warp], 1}});
  }
}

void choose_warp(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("scheduler");
  Control& k = m.control;
  k.next_warp = c.allocate(m.sizes.warp_bits);
  k.go = c.allocate_one();
  k.releasing = c.allocate_one();
  k.done = c.allocate_one();
  Conditions none_runs;
  for (const Signal& warp : k.runnable) none_runs.push_back(is_not(warp));
  auto choose = [&](const Signals& candidates, Conditions conditions, Outputs outputs) {
    for (uint32_t warp = 0; warp < m.spec.warps; ++warp) {
      Outputs all = outputs;
      for (uint32_t i = 0; i < m.sizes.warp_bits; ++i) {
        if ((warp >> i) & 1) all.push_back({k.next_warp[i], 1});
      }
      when(c, conditions + Conditions{is(candidates[warp])}, all);
      conditions.push_back(is_not(candidates[warp]));
    }
    return conditions;
  };
  choose(k.runnable, {}, {{k.go, 1}});
  Conditions none = choose(k.blocked, none_runs, {{k.go, 1}, {k.releasing, 1}});
  when(c, none, {{k.done, 1}});
}

void read_next_lanes(Machine& m) {
  const TokenFields& t = m.token;
  Control& k = m.control;
  Address next = {k.next_warp, {is(k.go)}};
  Address next_unless_released = {k.next_warp, {is(k.go), is_not(k.releasing)}};
  k.lane_waiting = allocate_reads(m, kLanes);
  k.lane_exists = allocate_reads(m, kLanes);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    k.lane_block[lane] = allocate_reads(m, m.sizes.target_bits);
    add_head(m, lane_head(m, "pc", lane, k.next_pc[lane], k.lane_block[lane], next, {t.cta}));
    add_head(m, lane_head(m, "waiting", lane, {m.block.barrier}, {k.lane_waiting[lane]},
                          next_unless_released, {t.cta, t.release}));
  }
  add_head(m, existing_lanes_head(m, k.lane_exists, next));
}

void compare_lanes(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("scheduler");
  Control& k = m.control;
  // The block, and beyond all blocks where the lane cannot run. Differences stay within 63.
  double beyond = std::ldexp(1.0, static_cast<int>(m.sizes.block_bits));
  std::array<Form, kLanes> rank;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& pc = k.lane_block[lane];
    rank[lane] = number(slice(pc, 0, m.sizes.block_bits)) +
                 beyond * (Form(pc[exit_bit(m)]) + k.lane_waiting[lane] - k.lane_exists[lane]);
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    k.lane_not_after[lane] = c.allocate(kLanes);
    for (uint32_t other = 0; other < kLanes; ++other) {
      if (other == lane) continue;
      step(c, rank[other] - rank[lane], 0, {{k.lane_not_after[lane][other], 1}});
    }
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Signals raw = k.lane_block[lane];
    Signals clean = c.allocate(m.sizes.block_bits + 1);
    for (uint32_t i = 0; i < m.sizes.block_bits; ++i) step(c, raw[i], 1, {{clean[i], 1}});
    step(c, raw[serial_bit(m)], 1, {{clean[m.sizes.block_bits], 1}});
    k.lane_block[lane] = clean;
  }
}

}  // namespace warplock::weights
