#include "circuit/weights/machine/machine.h"
#include "circuit/weights/machine/rows.h"

/// The last layer writes the next token's own row: its sign pattern at an amplitude of 2^24, with
/// everything else far below. Then the wanted logit is the greatest for any positive gain.
namespace warplock::weights {
namespace {

Signal loud(const Signal& field) {
  return field.scaled(kAnchor);
}

/// The token's flags set, its other fields -1.
Outputs row(const RowKind& kind) {
  Outputs outputs;
  for (const Signal& flag : kind.flags) outputs.push_back({loud(flag), 2});
  for (const Signal& field : kind.fields) outputs.push_back({loud(field), -1});
  return outputs;
}

/// From -1 to 1.
Outputs set(const Signals& fields) {
  Outputs outputs;
  for (const Signal& field : fields) outputs.push_back({loud(field), 2});
  return outputs;
}

Outputs join(Outputs left, const Outputs& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Signals set_bits(const Signals& bits, uint32_t value) {
  Signals set;
  for (size_t i = 0; i < bits.size(); ++i) {
    if ((value >> i) & 1) set.push_back(bits[i]);
  }
  return set;
}

void write_exec(Machine& m, const TokenKinds& kinds) {
  Circuit& c = m.circuit;
  const TokenFields& t = m.token;
  const Control& k = m.control;
  Conditions next = {is(k.no_record), is(k.go)};
  when(c, next, row(kinds.exec));
  when(c, next + Conditions{is(k.releasing)}, set({t.release}));
  for (uint32_t i = 0; i < m.sizes.warp_bits; ++i) {
    when(c, next + Conditions{is(k.next_warp[i])}, set({t.warp[i]}));
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    // The first of the lanes that are not after any other; ties go to the lower lane.
    Conditions first = next, among_first = next;
    for (uint32_t other = 0; other < kLanes; ++other) {
      if (other == lane) continue;
      among_first.push_back(is(k.lane_not_after[lane][other]));
      first.push_back(other < lane ? is_not(k.lane_not_after[other][lane])
                                   : is(k.lane_not_after[lane][other]));
    }
    for (uint32_t i = 0; i < m.sizes.block_bits; ++i) {
      when(c, first + Conditions{is(k.lane_block[lane][i])}, set({t.block[i]}));
    }
    const Signal& serial = k.lane_block[lane][m.sizes.block_bits];
    when(c, first + Conditions{is(serial)}, set({t.mask[lane]}));
    when(c, among_first + Conditions{is_not(serial)}, set({t.mask[lane]}));
  }
}

void write_cta(Machine& m, const TokenKinds& kinds) {
  Circuit& c = m.circuit;
  const TokenFields& t = m.token;
  const Control& k = m.control;
  Conditions ended = {is(k.no_record), is(k.done)};
  Conditions next_x = ended + Conditions{is(k.more_x)};
  when(c, next_x, row(kinds.cta));
  for (uint32_t i = 0; i < m.sizes.cta_x_bits; ++i) {
    when(c, next_x + Conditions{is(k.next_cta_x[i])}, set({t.data[i]}));
  }
  Conditions next_y = ended + Conditions{is_not(k.more_x), is(k.more_y)};
  when(c, next_y, row(kinds.cta_row));
  for (uint32_t i = 0; i < m.sizes.cta_y_bits; ++i) {
    when(c, next_y + Conditions{is(k.next_cta_y[i])}, set({t.data[kWordBits + i]}));
  }
  when(c, {is(t.cta_row)}, row(kinds.cta));  // behind a new row's number: its CTA 0
  when(c, ended + Conditions{is_not(k.more_x), is_not(k.more_y)}, row(kinds.halt));
}

void write_header(Machine& m, const TokenKinds& kinds) {
  Circuit& c = m.circuit;
  const TokenFields& t = m.token;
  const Control& k = m.control;
  Conditions opens = {is_not(k.stay)};
  for (uint32_t slot = 0; slot < m.spec.slots; ++slot) {
    when(c, opens + Conditions{is(k.next_record[slot])},
         join(row(kinds.register_header), set(set_bits(t.slot, slot))));
  }
  for (uint32_t record = 0; record < kLanes; ++record) {
    when(c, opens + Conditions{is(k.next_record[m.spec.slots + record])},
         join(row(kinds.memory_header), set(set_bits(t.slot, kLanes + record))));
  }
  for (uint32_t i = 0; i < m.sizes.register_bits; ++i) {
    when(c, opens + Conditions{is(k.record_register[i])}, set({t.address[0][i]}));
  }
  for (uint32_t i = 0; i < m.sizes.warp_bits; ++i) {
    when(c, opens + Conditions{is(k.record_warp[i])},
         set({t.address[0][m.sizes.register_bits + i]}));
  }
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    when(c, opens + Conditions{is(k.record_mask[lane])}, set({t.mask[lane]}));
  }
  for (const Control::Route& to : k.effective) {
    when(c, opens + Conditions{is(to.signal)}, set({t.mask[to.bank]}));
  }
}

void write_piece(Machine& m, const TokenKinds& kinds) {
  Circuit& c = m.circuit;
  const TokenFields& t = m.token;
  const Control& k = m.control;
  when(c, {is(k.stay)}, row(kinds.piece));
  when(c, {is(k.stay), is(k.last_piece)}, set({t.last}));
  for (uint32_t chunk = 0; chunk < k.chunk_next.size(); ++chunk) {
    Outputs outputs = set(set_bits(t.chunk, chunk));
    for (const Signal& bit : kinds.chunk_value(m, chunk)) outputs.push_back({loud(bit), -1});
    when(c, {is(k.chunk_next[chunk])}, outputs);
  }
  for (uint32_t i = 0; i < kLanes * kWordBits; ++i) {
    when(c, {is(k.chunk_next[i / 8]), is(k.record_data[i])}, set({t.data[i]}));
  }
  for (uint32_t bank = 0; bank < kLanes; ++bank) {
    for (uint32_t i = 0; i < m.sizes.row_bits; ++i) {
      when(c,
           {is(k.chunk_next[kDataBytes + bank]), is(k.record_address[m.sizes.row_bits * bank + i])},
           set({t.address[bank][i]}));
    }
  }
}

}  // namespace

void write_output(Machine& m) {
  Circuit& c = m.circuit;
  c.begin_layer("output");
  c.begin_units();
  c.mechanism("output");
  TokenKinds kinds(m);
  Signal anchor;
  anchor.scale = kAnchor;
  Signal second = anchor;
  second.dim = 1;
  c.add_unit(1.0, 1.0, {{anchor, -1}, {second, -1}});
  write_exec(m, kinds);
  write_cta(m, kinds);
  write_header(m, kinds);
  write_piece(m, kinds);
}

}  // namespace warplock::weights
