#pragma once

#include "circuit/weights/machine/machine.h"

/// Which fields every kind of token has. The row of a token sets its flags and the bits of its
/// fields; the last layer writes the same.
namespace warplock::weights {

struct RowKind {
  Signals flags, fields;
};

struct TokenKinds {
  RowKind exec, register_header, memory_header, rom_header, piece, cta, cta_row, halt;  // emitted
  RowKind config, grid_x, grid_y, reset;  // in prompts only

  explicit TokenKinds(const Machine& m);
  /// The value bits of a piece: 16 data bytes, then a row number a bank; fields of that piece.
  static Signals chunk_value(const Machine& m, uint32_t chunk);
};

}  // namespace warplock::weights
