#include <fmt/format.h>

#include "circuit/weights/machine/machine.h"

/// Records that an EXEC leaves: one row of pending flags, and the payloads, kept in state heads
/// until the next EXEC. Each record's own number points at the next, so there is no counter.
namespace warplock::weights {
namespace {

/// Numbers of records as tokens carry them: registers by slot, then memory records from 4 on.
std::vector<uint32_t> record_numbers(const Machine& m) {
  std::vector<uint32_t> numbers;
  for (uint32_t slot = 0; slot < m.spec.slots; ++slot) numbers.push_back(slot);
  for (uint32_t record = 0; record < kLanes; ++record) numbers.push_back(kLanes + record);
  return numbers;
}

Signals route_signals(const std::vector<Control::Route>& routes) {
  Signals signals;
  for (const Control::Route& route : routes) signals.push_back(route.signal);
  return signals;
}

/// A row that every EXEC overwrites and every token may read.
Head exec_row(Machine& m, const std::string& name, const Signals& values, const Signals& outputs,
              Conditions enables) {
  Head head;
  head.name = name;
  head.write = {{}, {is(m.token.exec)}};
  head.read = {{}, std::move(enables)};
  for (const Signal& value : values) head.values.push_back(value);
  head.outputs = outputs;
  return head;
}

}  // namespace

void store_queue(Machine& m) {
  Control& k = m.control;
  Signals destinations;
  for (const Signals& destination : m.block.destination) {
    destinations = concat({destinations, destination});
  }
  Signals routes = route_signals(k.routes);
  Signals pending = concat({m.block.live, k.pending_stores});
  Signals values = concat({pending, m.token.warp, m.token.mask, destinations, routes});
  Signals raw = allocate_reads(m, values.size());
  add_head(m, exec_row(m, "queue", values, raw, {}));
  size_t at = 0;
  auto take = [&](size_t count) {
    at += count;
    return slice(raw, at - count, count);
  };
  k.queue_pending = take(pending.size());
  k.queue_warp = take(m.sizes.warp_bits);
  k.queue_mask = take(kLanes);
  for (uint32_t slot = 0; slot < m.spec.slots; ++slot) {
    k.queue_destination.push_back(take(m.sizes.register_bits));
  }
  k.queue_routes = k.routes;
  for (Control::Route& route : k.queue_routes) route.signal = take(1)[0];
}

void choose_record(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("queue");
  const TokenFields& t = m.token;
  Control& k = m.control;
  std::vector<uint32_t> numbers = record_numbers(m);
  k.next_record = c.allocate(numbers.size());
  k.next_is_memory = c.allocate_one();
  k.no_record = c.allocate_one();
  auto chosen = [&](size_t j) {
    Outputs outputs = {{k.next_record[j], 1}};
    if (numbers[j] >= kLanes) outputs.push_back({k.next_is_memory, 1});
    return outputs;
  };
  // After an EXEC, or after the record with number `from`: the first pending one behind it.
  auto follow = [&](const Conditions& at, size_t first) {
    Form s = 8.0 * (all_of(at) - 1.0);
    for (size_t j = first; j < numbers.size(); ++j) {
      step(c, s + k.queue_pending[j], 1, chosen(j));
      s += -8.0 * Form(k.queue_pending[j]);
    }
    step(c, s, 0, {{k.no_record, 1}});
  };
  follow({is(t.exec)}, 0);
  for (size_t j = 0; j < numbers.size(); ++j) {
    Conditions number = spells(t.slot, numbers[j]);
    follow(Conditions{is(t.record)} + number, j + 1);
    // In the middle of a record: the same one.
    when(c, Conditions{is(t.header)} + number, chosen(j));
    when(c, Conditions{is(t.piece), is_not(t.last)} + number, chosen(j));
  }
  for (const Signal& kind : {t.config, t.cta}) when(c, {is(kind)}, {{k.no_record, 1}});
}

void read_payload(Machine& m) {
  Control& k = m.control;
  k.raw_data = allocate_reads(m, kLanes * kWordBits);
  k.packed = allocate_reads(m, 2, 3);
  // 128 bits and two anchors do not fit 128 columns: the last two pairs share columns.
  Signals plain = slice(k.raw_data, 0, 124);
  for (uint32_t slot = 0; slot < m.spec.slots; ++slot) {
    Signals bits;
    for (const Signals& lane : m.slots[slot].result) bits = concat({bits, lane});
    Head head = exec_row(m, fmt::format("result {}", slot), slice(bits, 0, 124),
                         concat({plain, k.packed}), {is(k.next_record[slot])});
    for (uint32_t i = 124; i < 128; i += 2) {
      head.values.push_back(Form(bits[i]) + 2.0 * Form(bits[i + 1]));
    }
    add_head(m, head);
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    k.raw_address[lane] = allocate_reads(m, m.sizes.row_bits);
    Signals values = concat({slice(m.token.data, kWordBits * lane, kWordBits),
                             slice(m.slots[m.last_slot()].result[lane], 4, m.sizes.row_bits)});
    Signals raw = concat({slice(k.raw_data, kWordBits * lane, kWordBits), k.raw_address[lane]});
    add_head(m,
             exec_row(m, fmt::format("store lane {}", lane), values, raw, {is(k.next_is_memory)}));
  }
}

void describe_record(Machine& m) {
  Circuit& c = m.circuit;
  c.mechanism("queue");
  const TokenFields& t = m.token;
  Control& k = m.control;
  k.record_register = c.allocate(m.sizes.register_bits);
  k.record_warp = c.allocate(m.sizes.warp_bits);
  k.record_mask = c.allocate(kLanes);
  Signals registers = slice(k.next_record, 0, m.spec.slots);
  for (uint32_t slot = 0; slot < m.spec.slots; ++slot) {
    for (uint32_t i = 0; i < m.sizes.register_bits; ++i) {
      step(c, k.queue_destination[slot][i], 1, {{k.record_register[i], 1}},
           only_if({registers[slot]}, 4));
    }
  }
  Form is_register = only_if(registers, 4);
  for (uint32_t i = 0; i < m.sizes.warp_bits; ++i) {
    step(c, k.queue_warp[i], 1, {{k.record_warp[i], 1}}, is_register);
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    step(c, k.queue_mask[i], 1, {{k.record_mask[i], 1}}, is_register);
  }
  Signal effective[kLanes][kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (uint32_t bank = 0; bank < kLanes; ++bank) {
      effective[lane][bank] = c.allocate_one();
      k.effective.push_back({lane, bank, 0, effective[lane][bank]});
    }
  }
  for (const Control::Route& route : k.queue_routes) {
    step(c, route.signal, 1, {{effective[route.lane][route.bank], 1}},
         only_if({k.next_record[m.spec.slots + route.order]}, 4));
  }
  k.stay = c.allocate_one();
  when(c, {is(t.header)}, {{k.stay, 1}});
  when(c, {is(t.piece), is_not(t.last)}, {{k.stay, 1}});
  k.any_register = c.allocate_one();
  for (const Signal& record : registers) when(c, {is(record)}, {{k.any_register, 1}});
  // Which bytes are not zero, before lanes are chosen.
  c.mechanism("emission");
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    k.byte_used[lane] = c.allocate(4);
    for (uint32_t byte = 0; byte < 4; ++byte) {
      Form bits = sum(slice(k.raw_data, kWordBits * lane + 8 * byte, 8));
      if (lane == 3 && byte == 3) bits += sum(k.packed);
      step(c, bits, 1, {{k.byte_used[lane][byte], 1}});
    }
  }
  k.raw_address_used = c.allocate(kLanes);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    step(c, sum(k.raw_address[lane]), 1, {{k.raw_address_used[lane], 1}});
  }
  c.mechanism("clear");  // results are in the state now
  for (uint32_t slot = 0; slot < std::min(2u, m.spec.slots); ++slot) {
    for (const Signals& lane : m.slots[slot].result) clear(c, lane);
  }
}

}  // namespace warplock::weights
