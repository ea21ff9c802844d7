#include "circuit/weights/machine/machine.h"

/// Guards and branches.
namespace warplock::weights {

/// Lanes whose guard fails keep operand c. Not for mul and mad, whose result is made after this.
void predicate_results(Machine& m, uint32_t slot) {
  m.circuit.mechanism("predication");
  const Microcode& u = m.code;
  Conditions kept;
  if (m.is_last(slot)) kept = {is_not(u[circuit::MachineOp::kSt])};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signal& predicate = m.x.predicate[lane];
    for (uint32_t i = 0; i < kWordBits; ++i) {
      const Signal& result = m.slots[slot].result[lane][i];
      Form change = Form(m.x.c[lane][i]) - result;
      when(m.circuit, Conditions{is(u.guarded), is_not(u.guard_negated), is_not(predicate)} + kept,
           {{result, 1}}, change);
      when(m.circuit, Conditions{is(u.guarded), is(u.guard_negated), is(predicate)} + kept,
           {{result, 1}}, change);
    }
  }
}

/// Every lane's next target: not_taken + condition (taken - not_taken).
void choose_branch(Machine& m) {
  m.circuit.mechanism("branch");
  const BlockControl& b = m.block;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Signals& next = m.control.next_pc[lane];
    next = m.circuit.allocate(m.sizes.target_bits);
    for (uint32_t i = 0; i < m.sizes.target_bits; ++i) {
      when(m.circuit, {is(m.token.exec)}, {{next[i], 1}}, b.not_taken[i]);
      Form change = Form(b.taken[i]) - b.not_taken[i];
      for (uint32_t slot = 0; slot < m.spec.slots; ++slot) {
        const Signal& predicate = m.slots[slot].predicate[lane];
        when(m.circuit, {is(b.branch_slot[slot]), is(predicate), is_not(b.branch_negated)},
             {{next[i], 1}}, change);
        when(m.circuit, {is(b.branch_slot[slot]), is_not(predicate), is(b.branch_negated)},
             {{next[i], 1}}, change);
      }
    }
  }
}

}  // namespace warplock::weights
