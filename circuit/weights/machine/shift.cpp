#include "circuit/weights/machine/machine.h"

/// Shifts in two layers: the amount's bits 0 and 1, then 2 to 4; larger amounts shift everything
/// out, as in PTX. The gate decodes the amount, `up` is the bit that moves.
namespace warplock::weights {
namespace {

using circuit::MachineOp;

struct Direction {
  int sign;
  Signals ops;
};

std::vector<Direction> directions(const Microcode& u) {
  return {{+1, {u[MachineOp::kShl]}}, {-1, {u[MachineOp::kShrU], u[MachineOp::kShrS]}}};
}

/// Moves bits by `amount` where `gate` is on.
void move(Machine& m, const Form& gate, const Signals& from, const Signals& to, int amount) {
  for (int i = 0; i < static_cast<int>(kWordBits); ++i) {
    int target = i + amount;
    if (target < 0 || target >= static_cast<int>(kWordBits)) continue;
    m.circuit.add_unit(gate, from[i], {{to[target], 1}});
  }
}

/// Copies of the sign bit that an arithmetic shift brings in.
void fill_signs(Machine& m, uint32_t slot, uint32_t lane) {
  const Signals &b = m.x.b[lane], &result = m.slots[slot].result[lane];
  const Signal& sign = m.x.a[lane][31];
  Form condition = only_if({m.code[MachineOp::kShrS]}, 64);
  Signals high = slice(b, 5, kWordBits - 5);
  std::vector<Table> within, beyond;
  int last_high = static_cast<int>(high.size());
  for (int i = 0; i < static_cast<int>(kWordBits); ++i) {
    if (i > 0) {
      within.push_back(
          {result[i], tabulate(31, [&](int s) { return s >= static_cast<int>(kWordBits) - i; })});
    }
    beyond.push_back({result[i], tabulate(last_high, [](int s) { return s >= 1; })});
  }
  Form amount = number(slice(b, 0, 5)) - 64.0 * sum(high);
  thermometer(m.circuit, amount, 31, within, condition, sign);
  thermometer(m.circuit, sum(high), last_high, beyond, condition, sign);
}

}  // namespace

void shift_low(Machine& m) {
  m.circuit.mechanism("shift");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t v = 0; v < 4; ++v) {
      for (const Direction& direction : directions(m.code)) {
        Form gate = all_of(spells(slice(m.x.b[lane], 0, 2), v)) + sum(direction.ops) - 1.0;
        move(m, gate, m.x.a[lane], m.x.column[lane], direction.sign * static_cast<int>(v));
      }
    }
  }
}

void shift_high(Machine& m, uint32_t slot) {
  m.circuit.mechanism("shift");
  Signals ops = {m.code[MachineOp::kShl], m.code[MachineOp::kShrU], m.code[MachineOp::kShrS]};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& b = m.x.b[lane];
    Signals shifted;
    for (const Signal& column : m.x.column[lane]) shifted.push_back(column.view(0, 1));
    for (uint32_t v = 0; v < 8; ++v) {
      for (const Direction& direction : directions(m.code)) {
        Form gate = all_of(spells(slice(b, 2, 3), v)) + sum(direction.ops) - 1.0 -
                    2.0 * sum(slice(b, 5, kWordBits - 5));
        move(m, gate, shifted, m.slots[slot].result[lane],
             4 * direction.sign * static_cast<int>(v));
      }
    }
    fill_signs(m, slot, lane);
    zero(m.circuit, shifted, sum(ops));
  }
}

}  // namespace warplock::weights
