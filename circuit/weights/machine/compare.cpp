#include "circuit/weights/machine/machine.h"

/// Comparison and minimum/maximum in two layers, over 5-bit chunks (the last has two bits). The
/// first layer makes a digit of s = a + M-1 - b for each chunk, d = [s >= M-1] + [s >= M]; with D =
/// sum of d_i 2^i, a < b is D <= 126 and a = b is D = 127. Signed comparison swaps the roles of the
/// two bits 31.
namespace warplock::weights {
namespace {

using circuit::MachineOp;
constexpr uint32_t kChunk = 5, kChunks = 7;
constexpr int kEqual = (1 << kChunks) - 1;

Signals pick(const Microcode& code, std::initializer_list<MachineOp> ops) {
  Signals signals;
  for (MachineOp op : ops) signals.push_back(code[op]);
  return signals;
}

}  // namespace

void compare_digits(Machine& m) {
  m.circuit.mechanism("compare");
  Signals plain =
      pick(m.code, {MachineOp::kLtU, MachineOp::kEq, MachineOp::kMinU, MachineOp::kMaxU});
  Signals with_sign = pick(m.code, {MachineOp::kLtS, MachineOp::kMinS, MachineOp::kMaxS});
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals &a = m.x.a[lane], &b = m.x.b[lane];
    for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      uint32_t start = kChunk * chunk, width = std::min(kChunk, kWordBits - start);
      int base = 1 << width, last = 2 * base - 2;
      std::vector<Table> tables = {{m.x.compare[lane][chunk], tabulate(last, [&](int s) {
                                      return (s >= base - 1) + (s >= base);
                                    })}};
      Form s = number(slice(a, start, width)) - number(slice(b, start, width)) + (base - 1.0);
      bool top = chunk + 1 == kChunks;
      thermometer(m.circuit, s, last, tables,
                  only_if(top ? plain : concat({plain, with_sign}), last + 2));
      if (!top) continue;
      Form swapped = Form(a[30]) - 2.0 * Form(a[31]) - b[30] + 2.0 * Form(b[31]) + (base - 1.0);
      thermometer(m.circuit, swapped, last, tables, only_if(with_sign, last + 2));
    }
  }
}

void compare_results(Machine& m, uint32_t slot) {
  m.circuit.mechanism("compare");
  constexpr double kOff = 256;
  Signals less = pick(m.code, {MachineOp::kLtU, MachineOp::kLtS});
  Signals least = pick(m.code, {MachineOp::kMinU, MachineOp::kMinS});
  Signals most = pick(m.code, {MachineOp::kMaxU, MachineOp::kMaxS});
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals &a = m.x.a[lane], &b = m.x.b[lane], &result = m.slots[slot].result[lane];
    const Signal& predicate = m.slots[slot].predicate[lane];
    Form order = number(m.x.compare[lane]);  // D
    Form below = Form(kEqual) - order;       // >= 1 where a < b
    std::vector<double> any = tabulate(kEqual, [](int v) { return v >= 1; });
    thermometer(m.circuit, below, kEqual, {{predicate, any}, {result[0], any}},
                only_if(less, kOff));
    std::vector<double> equal = tabulate(2 * kEqual, [](int v) { return v == kEqual; });
    thermometer(m.circuit, order, 2 * kEqual, {{predicate, equal}, {result[0], equal}},
                only_if({m.code[MachineOp::kEq]}, kOff));
    for (uint32_t i = 0; i < kWordBits; ++i) {
      Form difference = Form(a[i]) - b[i];
      m.circuit.add_unit(sum(concat({least, most})), b[i], {{result[i], 1}});
      gated_copy(m.circuit, below, 1, difference, result[i], only_if(least, kOff));
      gated_copy(m.circuit, order, kEqual + 1, difference, result[i], only_if(most, kOff));
    }
  }
}

}  // namespace warplock::weights
