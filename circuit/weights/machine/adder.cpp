#include <cmath>

#include "circuit/weights/machine/machine.h"

/// Addition in two layers, carry select over 4-bit chunks. The first layer writes each chunk's bits
/// for carry 0, the differences to those for carry 1, and a digit d = [s >= 15] + [s >= 16] (s the
/// chunk's sum); the second adds the difference where sum over earlier chunks of d_i 2^i reaches
/// 2^j.
namespace warplock::weights {
namespace {

constexpr uint32_t kChunk = 4, kChunks = kWordBits / kChunk;

/// One chunk's tables, gated by `condition`; `carry_in` only where the chunk is the first.
void add_chunk(Machine& m, uint32_t slot, uint32_t lane, uint32_t chunk, const Form& s,
               int carry_in, const Form& condition) {
  constexpr int kBase = 1 << kChunk, kLast = 2 * kBase - 2;
  bool first = chunk == 0;
  std::vector<Table> tables;
  for (uint32_t i = 0; i < kChunk; ++i) {
    uint32_t bit = kChunk * chunk + i;
    int in = first ? carry_in : 0;
    tables.push_back({m.slots[slot].result[lane][bit],
                      tabulate(kLast, [&](int v) { return ((v + in) >> i) & 1; })});
    if (first) continue;
    tables.push_back({m.x.select[lane][bit], tabulate(kLast, [&](int v) {
                        return (((v + 1) >> i) & 1) - ((v >> i) & 1);
                      })});
  }
  if (chunk + 1 < kChunks) {
    tables.push_back({m.x.digit[lane][chunk], tabulate(kLast, [&](int v) {
                        if (first) return 2 * (v + carry_in >= kBase);
                        return (v >= kBase - 1) + (v >= kBase);
                      })});
  }
  thermometer(m.circuit, s, kLast, tables, condition);
}

Form chunk_of(const Signals& word, uint32_t chunk) {
  return number(slice(word, kChunk * chunk, kChunk));
}

}  // namespace

void add_chunks(Machine& m, uint32_t slot) {
  m.circuit.mechanism("adder");
  using circuit::MachineOp;
  Signals ops = {m.code[MachineOp::kAdd], m.code[MachineOp::kLd]};
  if (m.is_last(slot)) ops.push_back(m.code[MachineOp::kSt]);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      add_chunk(m, slot, lane, chunk, chunk_of(m.x.a[lane], chunk) + chunk_of(m.x.b[lane], chunk),
                0, only_if(ops, 32));
    }
  }
}

void subtract_chunks(Machine& m, uint32_t slot) {
  m.circuit.mechanism("adder");
  Form condition = only_if({m.code[circuit::MachineOp::kSub]}, 32);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {  // a + (15 - b), carry-in 1
      Form s = chunk_of(m.x.a[lane], chunk) + 15.0 - chunk_of(m.x.b[lane], chunk);
      add_chunk(m, slot, lane, chunk, s, 1, condition);
    }
  }
}

void add_column_chunks(Machine& m, uint32_t slot) {
  m.circuit.mechanism("multiplier");
  using circuit::MachineOp;
  Form condition = only_if({m.code[MachineOp::kMul], m.code[MachineOp::kMad]}, 32);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
      Form s;
      for (uint32_t i = 0; i < kChunk; ++i) {
        s += std::ldexp(1.0, static_cast<int>(i)) *
             Form(m.x.column[lane][kChunk * chunk + i].view(0, 2));
      }
      add_chunk(m, slot, lane, chunk, s, 0, condition);
    }
  }
}

void select_carries(Machine& m, uint32_t slot) {
  m.circuit.mechanism("adder");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t bit = kChunk; bit < kWordBits; ++bit) {
      uint32_t chunk = bit / kChunk;
      gated_copy(m.circuit, number(slice(m.x.digit[lane], 0, chunk)), 1 << chunk,
                 m.x.select[lane][bit], m.slots[slot].result[lane][bit]);
    }
  }
}

}  // namespace warplock::weights
