#include "circuit/weights/machine/machine.h"

/// Program memory: one head a slot, row = block, values = the bits of that slot's record. The first
/// slot is fetched in a layer of its own, every further one in the idle mixer of the layer before.
namespace warplock::weights {

Head microcode_head(Machine& m, uint32_t slot, const Signals& raw) {
  const TokenFields& t = m.token;
  Head head;
  head.name = "rom";
  head.write = {slice(t.address[0], 0, m.sizes.block_bits),
                Conditions{is(t.rom_record)} + spells(slice(t.slot, 0, 2), slot)};
  head.read = {t.block, {is(t.exec)}};
  head.rows = m.spec.blocks;
  for (size_t i = 0; i < raw.size(); ++i) head.values.push_back(t.data[i]);
  head.outputs = raw;
  return head;
}

void load_microcode(Machine& m, uint32_t slot, const Signals& raw) {
  Signals bits = m.rom_bits(slot);
  for (size_t i = 0; i < raw.size(); ++i) step(m.circuit, raw[i], 1, {{bits[i], 1}});
  clear(m.circuit, raw);
}

void fetch_first_microcode(Machine& m) {
  m.circuit.begin_layer("rom");
  Signals raw = allocate_reads(m, m.rom_bits(0).size());
  add_head(m, microcode_head(m, 0, raw));
  m.circuit.begin_units();
  m.circuit.mechanism("microcode");
  load_microcode(m, 0, raw);
}

}  // namespace warplock::weights
