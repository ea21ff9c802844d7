#include <fmt/format.h>

#include "circuit/weights/machine/machine.h"

/// Operands of one slot: from the register file, forwarded from earlier slots, an immediate, or the
/// thread number. The file is split by lane, so a record's lane mask only decides which heads it
/// writes; three copies serve three operands.
namespace warplock::weights {
namespace {

Head register_head(Machine& m, uint32_t operand, uint32_t lane, const Signals& raw) {
  const TokenFields& t = m.token;
  const Microcode& u = m.code;
  uint32_t bits = m.sizes.register_bits + m.sizes.warp_bits;
  Head head;
  head.name = fmt::format("registers {} lane {}", "abc"[operand], lane);
  head.write = {slice(t.address[0], 0, bits), {is(t.register_record), is(t.mask[lane])}};
  head.read = {concat({u.source[operand], t.warp}), {is(t.exec)}};
  for (const Signal& slot : u.forward[operand]) head.read.enables.push_back(is_not(slot));
  if (operand == 0) head.read.enables.push_back(is_not(u.thread_a));
  if (operand == 1) head.read.enables.push_back(is_not(u.immediate_b));
  head.idle_row = 0;  // r0 of warp 0
  for (uint32_t i = 0; i < kWordBits; ++i) head.values.push_back(t.data[kWordBits * lane + i]);
  head.outputs = raw;
  return head;
}

/// What earlier slots made goes through the same step as what a state gives back: with an inexact
/// rsqrt errors would add up along a chain of dependent instructions.
void forward_results(Machine& m, uint32_t slot, uint32_t operand, LaneSignals& into) {
  const Microcode& u = m.code;
  for (uint32_t from = 0; from < slot; ++from) {
    Form chosen = only_if({u.forward[operand][from]}, 4);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const Signals& result = m.slots[from].result[lane];
      for (uint32_t i = 0; i < kWordBits; ++i) {
        step(m.circuit, result[i], 1, {{into[lane][i], 1}}, chosen);
      }
      if (operand != 2) continue;
      step(m.circuit, result[0], 1, {{m.x.predicate[lane], 1}},
           4.0 * (Form(u.forward[operand][from]) + u.predicate_from_c - 2.0));
    }
  }
}

void thread_number(Machine& m) {
  const TokenFields& t = m.token;
  Conditions wanted = {is(m.code.thread_a)};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t i = 0; i < m.sizes.warp_bits; ++i) {
      when(m.circuit, wanted, {{m.x.a[lane][2 + i], 1}}, t.warp[i]);
    }
    for (uint32_t i = 0; i < 2; ++i) {
      if ((lane >> i) & 1) when(m.circuit, wanted, {{m.x.a[lane][i], 1}});
    }
  }
}

}  // namespace

void fetch_operands(Machine& m, uint32_t slot) {
  Circuit& c = m.circuit;
  c.begin_layer(fmt::format("operands{}", slot));
  std::array<LaneSignals, 3> raw;
  for (uint32_t operand = 0; operand < 3; ++operand) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      raw[operand][lane] = allocate_reads(m, kWordBits);
      add_head(m, register_head(m, operand, lane, raw[operand][lane]));
    }
  }
  c.begin_units();
  LaneSignals* operands[3] = {&m.x.a, &m.x.b, &m.x.c};
  for (LaneSignals* operand : operands) {
    for (Signals& lane : *operand) lane = c.allocate(kWordBits);
  }
  m.x.predicate = c.allocate(kLanes);
  for (uint32_t operand = 0; operand < 3; ++operand) {
    LaneSignals& into = *operands[operand];
    c.mechanism("operands");
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      for (uint32_t i = 0; i < kWordBits; ++i) {
        step(c, raw[operand][lane][i], 1, {{into[lane][i], 1}});
      }
      if (operand == 2) {
        step(c, raw[operand][lane][0], 1, {{m.x.predicate[lane], 1}},
             only_if({m.code.predicate_from_c}, 4));
      }
      clear(c, raw[operand][lane]);
    }
    c.mechanism("forwarding");
    forward_results(m, slot, operand, into);
  }
  c.mechanism("immediate");
  for (uint32_t i = 0; i < kWordBits; ++i) {
    Outputs outputs;
    for (const Signals& lane : m.x.b) outputs.push_back({lane[i], 1});
    when(c, {is(m.code.immediate_b)}, outputs, m.code.immediate[i]);
  }
  c.mechanism("thread number");
  thread_number(m);
  c.mechanism("forwarding");
  for (uint32_t from = 0; from < slot; ++from) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      step(c, m.slots[from].predicate[lane], 1, {{m.x.predicate[lane], 1}},
           only_if({m.code.predicate_slot[from]}, 4));
    }
  }
}

}  // namespace warplock::weights
