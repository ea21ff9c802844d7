#include "circuit/weights/machine/machine.h"

#include <bit>

#include <fmt/format.h>

namespace warplock::weights {
namespace {

using circuit::MachineSpec;

uint32_t bits_for(uint32_t values) {
  return std::bit_width(values - 1);
}

void allocate_token(Machine& m) {
  Circuit& c = m.circuit;
  TokenFields& t = m.token;
  t.one = c.allocate_one();
  uint16_t kinds = c.new_group();
  for (Signal* flag : {&t.exec, &t.config, &t.cta, &t.cta_row, &t.grid_x, &t.grid_y, &t.halt,
                       &t.reset, &t.header, &t.piece}) {
    *flag = c.allocate_one(0, 1, kinds);
  }
  uint16_t record_kinds = c.new_group(), header_kinds = c.new_group();
  for (Signal* flag : {&t.register_record, &t.memory_record, &t.rom_record}) {
    *flag = c.allocate_one(0, 1, record_kinds);
  }
  for (Signal* flag : {&t.of_register, &t.of_memory, &t.of_rom}) {
    *flag = c.allocate_one(0, 1, header_kinds);
  }
  for (Signal* flag : {&t.record, &t.release, &t.last}) *flag = c.allocate_one();
  t.chunk = c.allocate(5);
  t.block = c.allocate(m.sizes.block_bits);
  t.warp = c.allocate(m.sizes.warp_bits);
  t.mask = c.allocate(kLanes);
  t.slot = c.allocate(3);
  uint32_t first =
      std::max({m.sizes.row_bits, m.sizes.register_bits + m.sizes.warp_bits, m.sizes.block_bits});
  for (uint32_t k = 0; k < kLanes; ++k) {
    t.address[k] = c.allocate(k == 0 ? first : m.sizes.row_bits);
  }
  t.data = c.allocate(kLanes * kWordBits);
}

void allocate_microcode(Machine& m) {
  Circuit& c = m.circuit;
  Microcode& u = m.code;
  u.op = c.allocate(circuit::kMachineOps, 0, 1, c.new_group());
  for (uint32_t k = 0; k < 3; ++k) {
    u.source[k] = c.allocate(m.sizes.register_bits);
    u.forward[k] = c.allocate(m.last_slot(), 0, 1, m.last_slot() ? c.new_group() : 0);
  }
  u.immediate_b = c.allocate_one();
  u.thread_a = c.allocate_one();
  u.predicate_slot = c.allocate(m.last_slot(), 0, 1, m.last_slot() ? c.new_group() : 0);
  u.predicate_from_c = c.allocate_one();
  u.guarded = c.allocate_one();
  u.guard_negated = c.allocate_one();
  u.immediate = c.allocate(kWordBits);
  BlockControl& b = m.block;
  b.live = c.allocate(m.spec.slots);
  for (uint32_t i = 0; i < m.spec.slots; ++i) {
    b.destination.push_back(c.allocate(m.sizes.register_bits));
  }
  b.taken = c.allocate(m.sizes.target_bits);
  b.not_taken = c.allocate(m.sizes.target_bits);
  b.branch_slot = c.allocate(m.spec.slots, 0, 1, c.new_group());
  b.branch_negated = c.allocate_one();
  b.barrier = c.allocate_one();
}

LaneSignals allocate_lanes(Machine& m, size_t count, double low = 0, double high = 1) {
  LaneSignals lanes;
  for (Signals& lane : lanes) lane = m.circuit.allocate(count, low, high);
  return lanes;
}

void clear_lanes(Machine& m, std::initializer_list<const LaneSignals*> groups) {
  m.circuit.mechanism("clear");
  for (const LaneSignals* group : groups) {
    for (const Signals& lane : *group) clear(m.circuit, lane);
  }
}

void allocate_carries(Machine& m) {
  m.x.select = allocate_lanes(m, kWordBits, -1, 1);
  m.x.digit = allocate_lanes(m, 8, 0, 2);
}

/// First layer of the ALU: everything that depends on the operands alone.
void first_stage(Machine& m, uint32_t i) {
  m.circuit.begin_layer(fmt::format("alu{}.first", i));
  m.circuit.begin_units();
  Slot& slot = m.slots[i];
  slot.result = allocate_lanes(m, kWordBits);
  slot.predicate = m.circuit.allocate(kLanes);
  m.x.column = allocate_lanes(m, kWordBits, 0, 33);
  allocate_carries(m);
  m.x.compare = allocate_lanes(m, 7, 0, 2);
  add_chunks(m, i);
  subtract_chunks(m, i);
  compare_digits(m);
  logic_and_select(m, i);
  shift_low(m);
  multiply_products(m);
  shuffle_sources(m);
  vote_counts(m, i);
  match_counts(m);
}

void second_stage(Machine& m, uint32_t i) {
  m.circuit.begin_layer(fmt::format("alu{}.second", i));
  m.circuit.begin_units();
  select_carries(m, i);
  compare_results(m, i);
  shift_high(m, i);
  multiply_columns(m);
  shuffle_results(m, i);
  vote_results(m, i);
  match_results(m, i);
  clear_lanes(m, {&m.x.select, &m.x.digit, &m.x.compare});
}

/// Memory is read here: the address came out of the adder one layer ago.
void third_stage(Machine& m, uint32_t i) {
  m.circuit.begin_layer(fmt::format("alu{}.third", i));
  LaneSignals loaded = gather_memory(m, i);
  m.circuit.begin_units();
  multiply_triples(m);
  take_loaded(m, i, loaded);
  if (m.is_last(i)) take_store_data(m);
  clear_lanes(m, {&m.x.a, &m.x.b, &loaded});
  if (m.is_last(i)) {
    choose_branch(m);
    find_store_banks(m);
  }
}

void fourth_stage(Machine& m, uint32_t i) {
  m.circuit.begin_layer(fmt::format("alu{}.fourth", i));
  if (m.is_last(i)) {
    read_thread_states(m);
    read_ctas(m);
  }
  m.circuit.begin_units();
  allocate_carries(m);
  add_column_chunks(m, i);
  predicate_results(m, i);
  clear_lanes(m, {&m.x.column});
  if (m.is_last(i)) {
    find_warp_status(m);
    route_stores(m);
  }
}

/// The mixer of this layer is free: it fetches the next slot's microcode, or reads what decides
/// about the next token.
void fifth_stage(Machine& m, uint32_t i) {
  m.circuit.begin_layer(fmt::format("alu{}.fifth", i));
  Signals raw;
  if (!m.is_last(i)) {
    raw = allocate_reads(m, m.rom_bits(i + 1).size());
    add_head(m, microcode_head(m, i + 1, raw));
  } else {
    read_warp_states(m);
    store_queue(m);
  }
  m.circuit.begin_units();
  select_carries(m, i);
  clear_lanes(m, {&m.x.select, &m.x.digit, &m.x.c});
  clear(m.circuit, m.x.predicate);
  if (!m.is_last(i)) {
    m.circuit.mechanism("microcode");
    zero(m.circuit, m.code.bits());
    load_microcode(m, i + 1, raw);
  } else {
    list_warps(m);
    choose_record(m);
    count_ctas(m);
  }
}

void finish_token(Machine& m) {
  m.circuit.begin_layer("choose");
  read_payload(m);
  m.circuit.begin_units();
  choose_warp(m);
  describe_record(m);
  m.circuit.begin_layer("lanes");
  read_next_lanes(m);
  m.circuit.begin_units();
  compare_lanes(m);
  align_payload(m);
  m.circuit.begin_layer("piece");
  m.circuit.begin_units();
  choose_piece(m);
  write_output(m);
}

}  // namespace

Sizes::Sizes(const MachineSpec& spec)
    : block_bits(bits_for(spec.blocks)),
      warp_bits(bits_for(spec.warps)),
      register_bits(bits_for(spec.registers)),
      cta_x_bits(bits_for(spec.max_ctas_x)),
      cta_y_bits(bits_for(spec.max_ctas_y)),
      row_bits(7),
      target_bits(block_bits + 2) {}

Signals Microcode::bits() const {
  return concat({immediate,
                 source[0],
                 source[1],
                 source[2],
                 forward[0],
                 forward[1],
                 forward[2],
                 {immediate_b, thread_a},
                 predicate_slot,
                 {predicate_from_c, guarded, guard_negated},
                 op});
}

Machine::Machine(const MachineSpec& specification) : spec(specification), sizes(specification) {}

Signals Machine::rom_bits(uint32_t slot) const {
  Signals shared = concat({block.taken, block.not_taken, {block.branch_negated, block.barrier}});
  size_t each = (shared.size() + spec.slots - 1) / spec.slots;
  size_t start = std::min(shared.size(), slot * each);
  return concat({code.bits(),
                 block.destination[slot],
                 {block.live[slot], block.branch_slot[slot]},
                 slice(shared, start, std::min(each, shared.size() - start))});
}

Signals allocate_reads(Machine& m, size_t count, double high) {
  Signals signals = m.circuit.allocate(count, 0, high);
  for (Signal& signal : signals) signal.noisy = true;
  return signals;
}

void add_head(Machine& m, Head head) {
  Signal reset = m.token.reset;
  if (m.circuit.layers().size() == 1) reset.scale = kRowAmplitude;
  head.clear.push_back(reset);
  m.circuit.add_head(std::move(head));
}

std::unique_ptr<Machine> build_machine(const MachineSpec& spec, const Limits& limits) {
  circuit::validate(spec);
  auto machine = std::make_unique<Machine>(spec);
  Machine& m = *machine;
  m.circuit = Circuit(limits);
  m.slots.resize(spec.slots);
  allocate_token(m);
  allocate_microcode(m);
  m.token.pads = m.circuit.allocate(kRowEntries);
  m.token.trim = m.circuit.allocate_one();
  assemble_records(m);
  fetch_first_microcode(m);
  for (uint32_t i = 0; i < spec.slots; ++i) {
    fetch_operands(m, i);
    first_stage(m, i);
    second_stage(m, i);
    third_stage(m, i);
    fourth_stage(m, i);
    fifth_stage(m, i);
  }
  finish_token(m);
  return machine;
}

}  // namespace warplock::weights
