#include "circuit/weights/machine/machine.h"

#include <cmath>

/// Low 32 bits of a * b, and of a * b + c, in five layers: products summed into columns, each
/// column to 6 bits, three columns together to 6 bits (the addend joins here), then the adder's two
/// layers.
namespace warplock::weights {
namespace {

using circuit::MachineOp;

/// Columns below this one take two bits of b in one unit, worth 1 and 2.
constexpr uint32_t kPaired = 22;
constexpr uint32_t kColumnBits = 6;

int largest_sum(uint32_t column) {
  int pairs = static_cast<int>(column / 2 + 1);
  if (column < kPaired) return 3 * pairs;
  return column == kPaired ? pairs : static_cast<int>(column + 1);
}

/// Bits that meet in a column once every column's sum is written out in binary.
int summands(uint32_t column) {
  int count = 0;
  for (uint32_t from = 0; from <= column; ++from) {
    uint32_t bit = column - from;
    if (bit < kColumnBits && (largest_sum(from) >> bit) > 0) ++count;
  }
  return count;
}

/// The bits of `s` in 0..last, added from column `start` on.
std::vector<Table> spread(const Signals& columns, uint32_t start, int last) {
  std::vector<Table> tables;
  for (uint32_t bit = 0; bit < kColumnBits; ++bit) {
    if (start + bit >= kWordBits || (last >> bit) == 0) continue;
    tables.push_back({columns[start + bit], tabulate(last, [&](int s) { return (s >> bit) & 1; })});
  }
  return tables;
}

}  // namespace

void multiply_products(Machine& m) {
  m.circuit.mechanism("multiplier");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals &a = m.x.a[lane], &b = m.x.b[lane];
    for (uint32_t i = 0; i < kWordBits; ++i) {
      Form gate = Form(a[i]) + m.code[MachineOp::kMul] + m.code[MachineOp::kMad] - 1.0;
      for (uint32_t j = 0; i + j < kWordBits; ++j) {
        uint32_t column = i + j;
        bool even = j % 2 == 0;
        if (even && column < kPaired) {
          Form up = Form(b[j]) + 2.0 * Form(b[j + 1]);
          m.circuit.add_unit(gate, up, {{m.x.column[lane][column], 1}});
        } else if (even || column > kPaired) {
          m.circuit.add_unit(gate, b[j], {{m.x.column[lane][column], 1}});
        }
      }
    }
  }
}

void multiply_columns(Machine& m) {
  m.circuit.mechanism("multiplier");
  Signals ops = {m.code[MachineOp::kMul], m.code[MachineOp::kMad]};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& columns = m.x.column[lane];
    for (uint32_t k = 0; k < kWordBits; ++k) {
      int last = largest_sum(k);
      std::vector<Table> tables = spread(columns, k, last);
      tables[0].value = tabulate(last, [](int s) { return (s & 1) - s; });  // in place of the sum
      thermometer(m.circuit, columns[k].view(0, last), last, tables, only_if(ops, last + 2));
    }
  }
}

void multiply_triples(Machine& m) {
  m.circuit.mechanism("multiplier");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& columns = m.x.column[lane];
    for (uint32_t start = 0; start < kWordBits; start += 3) {
      Form product, with_addend;
      int last = 0, last_with_addend = 0;
      for (uint32_t i = 0; i < 3 && start + i < kWordBits; ++i) {
        int most = summands(start + i);
        double weight = std::ldexp(1.0, static_cast<int>(i));
        product += weight * Form(columns[start + i].view(0, most));
        with_addend += weight * Form(m.x.c[lane][start + i]);
        last += most << i;
        last_with_addend += (most + 1) << i;
      }
      with_addend += product;
      thermometer(m.circuit, product, last, spread(columns, start, last),
                  only_if({m.code[MachineOp::kMul]}, last + 2));
      thermometer(m.circuit, with_addend, last_with_addend,
                  spread(columns, start, last_with_addend),
                  only_if({m.code[MachineOp::kMad]}, last_with_addend + 2));
    }
    zero(m.circuit, columns);
  }
}

}  // namespace warplock::weights
