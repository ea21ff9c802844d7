#include "circuit/weights/machine/rows.h"

namespace warplock::weights {

TokenKinds::TokenKinds(const Machine& m) {
  const TokenFields& t = m.token;
  Signals cta_x = slice(t.data, 0, m.sizes.cta_x_bits);
  Signals cta_y = slice(t.data, kWordBits, m.sizes.cta_y_bits);
  Signals registers = slice(t.address[0], 0, m.sizes.register_bits + m.sizes.warp_bits);
  exec = {{t.exec}, concat({t.block, t.warp, t.mask, {t.release}})};
  register_header = {{t.header, t.of_register}, concat({registers, t.mask, t.slot})};
  memory_header = {{t.header, t.of_memory}, concat({t.mask, t.slot})};
  rom_header = {{t.header, t.of_rom}, concat({slice(t.address[0], 0, m.sizes.block_bits), t.slot})};
  piece = {{t.piece}, concat({t.chunk, {t.last}})};
  cta = {{t.cta}, cta_x};
  cta_row = {{t.cta_row}, cta_y};
  halt = {{t.halt}, {}};
  config = {{t.config}, concat({t.warp, t.mask, {t.release}})};
  grid_x = {{t.grid_x}, cta_x};
  grid_y = {{t.grid_y}, slice(t.data, 0, m.sizes.cta_y_bits)};
  reset = {{t.reset}, {}};
}

Signals TokenKinds::chunk_value(const Machine& m, uint32_t chunk) {
  const TokenFields& t = m.token;
  if (chunk < kDataBytes) return slice(t.data, 8 * chunk, 8);
  return slice(t.address[chunk - kDataBytes], 0, m.sizes.row_bits);
}

}  // namespace warplock::weights
