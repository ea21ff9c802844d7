#include "circuit/weights/machine/machine.h"

/// What lanes tell each other, two layers each: shuffles (a one-hot source lane, then a copy),
/// votes (a count of lanes for and against), match (the number of differing bits of every pair of
/// lanes).
namespace warplock::weights {
namespace {

using circuit::MachineOp;
constexpr MachineOp kShuffles[] = {MachineOp::kShflIdx, MachineOp::kShflUp, MachineOp::kShflDown,
                                   MachineOp::kShflXor};
constexpr uint32_t kVoteCount = 4;  // Operands::compare: 0..3 are shuffle sources

/// The lane that `lane` reads for amount `v`: its own where that is outside.
int source_lane(MachineOp op, int lane, int v) {
  int source = lane;
  switch (op) {
    case MachineOp::kShflIdx:
      source = v;
      break;
    case MachineOp::kShflUp:
      source = lane - v;
      break;
    case MachineOp::kShflDown:
      source = lane + v;
      break;
    default:
      source = lane ^ v;
      break;
  }
  return source < 0 || source >= static_cast<int>(kLanes) ? lane : source;
}

Signal differing_bits(Machine& m, uint32_t lane, uint32_t other) {
  return m.x.digit[std::min(lane, other)][std::max(lane, other)].view(0, kWordBits);
}

}  // namespace

void shuffle_sources(Machine& m) {
  m.circuit.mechanism("shuffle");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t v = 0; v < kLanes; ++v) {
      for (MachineOp op : kShuffles) {
        int source = source_lane(op, static_cast<int>(lane), static_cast<int>(v));
        when(m.circuit, Conditions{is(m.code[op])} + spells(slice(m.x.b[lane], 0, 2), v),
             {{m.x.compare[lane][source], 1}});
      }
    }
  }
}

void shuffle_results(Machine& m, uint32_t slot) {
  m.circuit.mechanism("shuffle");
  Signals ops;
  for (MachineOp op : kShuffles) ops.push_back(m.code[op]);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t source = 0; source < kLanes; ++source) {
      Form gate = 2.0 * sum(ops) + m.x.compare[lane][source].view(0, 1) - 2.0;
      for (uint32_t i = 0; i < kWordBits; ++i) {
        m.circuit.add_unit(gate, m.x.a[source][i], {{m.slots[slot].result[lane][i], 1}});
      }
    }
  }
}

void vote_counts(Machine& m, uint32_t slot) {
  m.circuit.mechanism("vote");
  const Signals &mask = m.token.mask, &predicate = m.x.predicate;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signal& count = m.x.compare[lane][kVoteCount];
    for (uint32_t from = 0; from < kLanes; ++from) {
      Conditions holds = {is(mask[from]), is(predicate[from])};
      Conditions fails = {is(mask[from]), is_not(predicate[from])};
      when(m.circuit, holds + Conditions{is(m.code[MachineOp::kBallot])},
           {{m.slots[slot].result[lane][from], 1}});
      when(m.circuit, holds + Conditions{is(m.code[MachineOp::kVoteAny])}, {{count, 1}});
      when(m.circuit, fails + Conditions{is(m.code[MachineOp::kVoteAll])}, {{count, 1}});
    }
  }
}

void vote_results(Machine& m, uint32_t slot) {
  m.circuit.mechanism("vote");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Form count = m.x.compare[lane][kVoteCount].view(0, kLanes);
    const Slot& into = m.slots[slot];
    Outputs set = {{into.predicate[lane], 1}, {into.result[lane][0], 1}};
    Outputs take = {{into.predicate[lane], -1}, {into.result[lane][0], -1}};
    Form any = 8.0 * Form(m.code[MachineOp::kVoteAny]) - 8.0 + count;
    m.circuit.add_unit(any, 1.0, set);
    m.circuit.add_unit(any - 1.0, 1.0, take);
    m.circuit.add_unit(Form(m.code[MachineOp::kVoteAll]) - count, 1.0, set);
  }
}

void match_counts(Machine& m) {
  m.circuit.mechanism("match");
  const Signal& op = m.code[MachineOp::kMatch];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t other = lane + 1; other < kLanes; ++other) {
      const Signals &a = m.x.a[lane], &b = m.x.a[other];
      Signal count = differing_bits(m, lane, other);  // a xor b = a + b - 2 ab
      m.circuit.add_unit(op, sum(concat({a, b})), {{count, 1}});
      for (uint32_t i = 0; i < kWordBits; ++i) {
        m.circuit.add_unit(Form(a[i]) + op - 1.0, b[i], {{count, -2}});
      }
    }
  }
}

void match_results(Machine& m, uint32_t slot) {
  m.circuit.mechanism("match");
  const Signal& op = m.code[MachineOp::kMatch];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t other = 0; other < kLanes; ++other) {
      Form gate = Form(op) + m.token.mask[other] - 1.0;
      if (other != lane) gate += -1.0 * Form(differing_bits(m, lane, other));
      m.circuit.add_unit(gate, 1.0, {{m.slots[slot].result[lane][other], 1}});
    }
  }
}

}  // namespace warplock::weights
