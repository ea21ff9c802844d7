#include "circuit/weights/machine/machine.h"

#include <fmt/format.h>

/// Memory: four banks by the low bits of the word address, a copy for each lane, so that all lanes
/// read at once; row = word address / 4. Stores leave as records that carry one word a bank: lanes
/// that store into one bank are spread over as many records, so the last lane wins.
namespace warplock::weights {
namespace {

using circuit::MachineOp;
constexpr uint32_t kBankBit = 2, kRowBit = 4;  // of a byte address

Conditions in_bank(const Signals& address, uint32_t bank) {
  return spells(slice(address, kBankBit, 2), bank);
}

}  // namespace

LaneSignals gather_memory(Machine& m, uint32_t slot) {
  const TokenFields& t = m.token;
  LaneSignals loaded;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& address = m.slots[slot].result[lane];
    loaded[lane] = allocate_reads(m, kWordBits);
    for (uint32_t bank = 0; bank < kLanes; ++bank) {
      Head head;
      head.name = fmt::format("memory lane {} bank {}", lane, bank);
      head.write = {slice(t.address[bank], 0, m.sizes.row_bits),
                    {is(t.memory_record), is(t.mask[bank])}};
      head.read = {slice(address, kRowBit, m.sizes.row_bits),
                   Conditions{is(m.code[MachineOp::kLd])} + in_bank(address, bank)};
      head.rows = m.spec.memory_rows;
      for (uint32_t i = 0; i < kWordBits; ++i) {
        head.values.push_back(t.data[kWordBits * bank + i]);
      }
      head.outputs = loaded[lane];
      add_head(m, head);
    }
  }
  return loaded;
}

void take_loaded(Machine& m, uint32_t slot, const LaneSignals& loaded) {
  m.circuit.mechanism("memory");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const Signals& result = m.slots[slot].result[lane];
    zero(m.circuit, result, m.code[MachineOp::kLd]);
    for (uint32_t i = 0; i < kWordBits; ++i) step(m.circuit, loaded[lane][i], 1, {{result[i], 1}});
  }
}

void take_store_data(Machine& m) {
  m.circuit.mechanism("store");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t i = 0; i < kWordBits; ++i) {  // an EXEC has no payload: its dimensions are free
      when(m.circuit, {is(m.code[MachineOp::kSt]), is(m.x.c[lane][i])},
           {{m.token.data[kWordBits * lane + i], 1}});
    }
  }
}

void find_store_banks(Machine& m) {
  m.circuit.mechanism("store");
  const Microcode& u = m.code;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Signals& hit = m.control.store_hit[lane];
    hit = m.circuit.allocate(kLanes);
    const Signal& predicate = m.x.predicate[lane];
    Conditions stores = {is(u[MachineOp::kSt]), is(m.token.mask[lane])};
    for (uint32_t bank = 0; bank < kLanes; ++bank) {
      Conditions here = stores + in_bank(m.slots[m.last_slot()].result[lane], bank);
      when(m.circuit, here + Conditions{is_not(u.guarded)}, {{hit[bank], 1}});
      when(m.circuit, here + Conditions{is(u.guarded), is_not(u.guard_negated), is(predicate)},
           {{hit[bank], 1}});
      when(m.circuit, here + Conditions{is(u.guarded), is(u.guard_negated), is_not(predicate)},
           {{hit[bank], 1}});
    }
  }
}

void route_stores(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("store");
  Control& k = m.control;
  k.pending_stores = c.allocate(kLanes, 0, kLanes);
  for (uint32_t bank = 0; bank < kLanes; ++bank) {
    Form earlier;  // lanes before this one that store into the bank
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const Signal& hit = k.store_hit[lane][bank];
      for (uint32_t order = 0; order <= lane; ++order) {
        Signal route = c.allocate_one();
        k.routes.push_back({lane, bank, order, route});
        Form s = earlier + 8.0 * Form(hit) - 8.0 - static_cast<double>(order);
        c.add_unit(s + 1.0, 1.0, {{route, 1}});  // a tent: 1 where earlier = order
        c.add_unit(s, 1.0, {{route, -2}});
        c.add_unit(s - 1.0, 1.0, {{route, 1}});
      }
      earlier += hit;
    }
    for (uint32_t record = 0; record < kLanes; ++record) {
      gated_copy(c, earlier, static_cast<int>(record) + 1, 1.0, k.pending_stores[record]);
    }
  }
}

}  // namespace warplock::weights
