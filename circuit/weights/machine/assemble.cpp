#include "circuit/weights/machine/machine.h"

/// The first layer: turns a token's row, whose fields are +-1/16, into clean bits and anchors, and
/// puts records together. A header and the pieces behind it are kept in state heads; the last piece
/// reads them back and so carries the whole record in one token.
namespace warplock::weights {
namespace {

/// A field as the first layer reads it: -1, 0 (absent) or 1.
Signal sign(const Signal& field) {
  return field.view(-1, 1).scaled(kRowAmplitude);
}
Signals signs(const Signals& fields) {
  Signals all;
  for (const Signal& field : fields) all.push_back(sign(field));
  return all;
}
/// A flag is absent or 1.
Signal flag(const Signal& field) {
  return field.scaled(kRowAmplitude);
}

Form as_value(const Signal& field) {
  return Form(sign(field));
}

Signals small_reads(Machine& m, size_t count) {
  Signals raw = allocate_reads(m, count);
  for (Signal& signal : raw) signal.scale = kFirstReadScale;
  return raw;
}

Head byte_head(Machine& m, const std::string& name, Conditions enables, const Signals& fields,
               const Signals& raw) {
  const TokenFields& t = m.token;
  Head head;
  head.name = name;
  Conditions all = {is(flag(t.piece))};
  head.write = {signs(slice(t.chunk, 0, 2)), all + enables};
  head.read_all = true;
  for (const Signal& field : fields) head.values.push_back(as_value(field));
  head.outputs = raw;
  head.clear = {flag(t.header)};
  return head;
}

/// Bits that a completed record takes over from its header.
struct HeaderFields {
  Signals from, to;
};

HeaderFields header_fields(const TokenFields& t) {
  Signals rest = concat({t.address[0], t.mask, t.slot});
  return {concat({{t.of_register, t.of_memory, t.of_rom}, rest}),
          concat({{t.register_record, t.memory_record, t.rom_record}, rest})};
}

/// The CTA's number is a store into the machine's own memory.
void store_cta_number(Machine& m, const Signal& kind, uint32_t bank) {
  const TokenFields& t = m.token;
  Outputs outputs = {{t.memory_record, 1}, {t.mask[bank], 1}};
  uint32_t row = circuit::ctaid_x_word(m.spec) / 4;
  for (uint32_t i = 0; i < m.sizes.row_bits; ++i) {
    if ((row >> i) & 1) outputs.push_back({t.address[bank][i], 1});
  }
  when(m.circuit, {is(flag(kind))}, outputs);
}

/// -1/16, 0 and 1/16 become 0, 0 and 1.
void clean_fields(Machine& m) {
  const TokenFields& t = m.token;
  Circuit& c = m.circuit;
  Signals plain =
      concat({{t.exec, t.config, t.cta, t.cta_row, t.grid_x, t.grid_y, t.halt, t.reset, t.header,
               t.piece, t.of_register, t.of_memory, t.of_rom, t.release, t.last},
              t.chunk,
              t.block,
              t.warp,
              t.mask,
              t.slot});
  Signals payload = t.data;
  for (const Signals& address : t.address) payload = concat({payload, address});
  for (const Signal& x : plain) {
    c.add_unit(-1.0 * Form(sign(x)), 1.0, {{x, kRowAmplitude}});
    c.add_unit(sign(x), 1.0, {{x, 1 - kRowAmplitude}});
  }
  // A piece's own bits go, its record's come.
  for (const Signal& x : payload) {
    c.add_unit(-1.0 * Form(sign(x)), 1.0, {{x, kRowAmplitude}});
    c.add_unit(sign(x), 1.0, {{x, -kRowAmplitude}});
    c.add_unit(Form(sign(x)) - 2.0 * Form(flag(t.piece)), 1.0, {{x, 1}});
  }
  for (const Signal& pad : t.pads) c.add_unit(flag(pad), 1.0, {{pad, -kRowAmplitude}});
  c.release(t.pads);
  clear(c, {t.trim});
  Signal anchor;
  anchor.scale = kAnchor;
  Signal second = anchor;
  second.dim = 1;
  c.add_unit(1.0, 1.0, {{anchor, 1}, {second, 1}, {t.one, -kRowAmplitude}});
}

}  // namespace

void assemble_records(Machine& m) {
  Circuit& c = m.circuit;
  const TokenFields& t = m.token;
  c.begin_layer("records");
  HeaderFields fields = header_fields(t);
  Signals raw_header = small_reads(m, fields.from.size());
  Head header;
  header.name = "header";
  header.write = {{}, {is(flag(t.header))}};
  header.read = {{}, {is(flag(t.piece))}};
  for (const Signal& field : fields.from) header.values.push_back(as_value(field));
  header.outputs = raw_header;
  add_head(m, header);

  Signal is_address = sign(t.chunk[4]);
  Signals raw_data;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    Signals raw = small_reads(m, kWordBits);
    Conditions here = Conditions{is_not(is_address)} + spells(signs(slice(t.chunk, 2, 2)), lane);
    add_head(m, byte_head(m, "bytes", here, slice(t.data, kWordBits * lane, kWordBits), raw));
    raw_data = concat({raw_data, raw});
  }
  Signals addresses;
  for (const Signals& address : t.address) addresses = concat({addresses, address});
  Signals raw_address = small_reads(m, addresses.size());
  add_head(m, byte_head(m, "addresses", {is(is_address)}, addresses, raw_address));

  c.begin_units();
  c.mechanism("rows");
  clean_fields(m);
  store_cta_number(m, t.cta, 0);
  store_cta_number(m, t.cta_row, 1);
  c.mechanism("records");
  // A read of all rows gives 8 / (rows written), so the condition needs room.
  Signal last = sign(t.last);
  Form completes = only_if({last}, 16);
  for (size_t i = 0; i < raw_data.size(); ++i) {
    step(c, raw_data[i], 1, {{t.data[i], 1}}, completes);
  }
  for (size_t i = 0; i < raw_address.size(); ++i) {
    step(c, raw_address[i], 1, {{addresses[i], 1}}, completes);
  }
  size_t slot_start = raw_header.size() - t.slot.size();
  for (size_t i = 0; i < raw_header.size(); ++i) {
    const Signal& opens = i < slot_start ? last : flag(t.piece);  // every piece knows its slot
    step(c, raw_header[i], 1, {{fields.to[i], 1}}, only_if({opens}, 4));
  }
  c.add_unit(last, 1.0, {{t.record, 1}});
  clear(c, concat({raw_header, raw_data, raw_address}));
}

}  // namespace warplock::weights
