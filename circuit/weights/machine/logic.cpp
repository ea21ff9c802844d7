#include "circuit/weights/machine/machine.h"

/// and, or, xor and select, in one layer. With u1 = max(0, a + b) and u2 = max(0, a + b - 1):
/// and = u2, or = u1 - u2, xor = u1 - 2 u2; the opcode stands in `up`.
namespace warplock::weights {

void logic_and_select(Machine& m, uint32_t slot) {
  using circuit::MachineOp;
  Circuit& c = m.circuit;
  const Microcode& u = m.code;
  Form first = Form(u[MachineOp::kOr]) + u[MachineOp::kXor];
  Form second = Form(u[MachineOp::kAnd]) - u[MachineOp::kOr] - 2.0 * Form(u[MachineOp::kXor]);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signal& predicate = m.x.predicate[lane];
    for (uint32_t i = 0; i < kWordBits; ++i) {
      const Signal &a = m.x.a[lane][i], &b = m.x.b[lane][i], &r = m.slots[slot].result[lane][i];
      Form both = Form(a) + b;
      c.mechanism("logic");
      c.add_unit(both, first, {{r, 1}});
      c.add_unit(both - 1.0, second, {{r, 1}});
      c.mechanism("select");
      when(c, {is(a), is(predicate), is(u[MachineOp::kSel])}, {{r, 1}});
      when(c, {is(b), is_not(predicate), is(u[MachineOp::kSel])}, {{r, 1}});
    }
  }
}

}  // namespace warplock::weights
