#pragma once

#include "circuit/ir.h"

namespace warplock::circuit::ir {

/// Makes the code smaller without changing what it does: constants and copies are propagated,
/// instructions that compute the same are merged, unused ones removed (their register events move
/// to where the value comes from, or are lost), blocks joined.
void optimize(Code& code);

/// The last steps, which take time that grows with the square of the code: registers merged, copies
/// out of serial blocks.
void settle(Code& code);

/// Removes blocks that do nothing and those never reached, and joins those that follow each other.
void simplify_blocks(Code& code);

/// Gives each group of definitions that no use has in common with others a register of its own.
void split_webs(Code& code);

/// Merges registers that copies connect, where both can live in one.
void coalesce(Code& code);

/// Moves copies that are left in serial blocks, where there is little room, into the blocks after.
void sink_copies(Code& code);

/// Removes instructions that nobody needs.
void remove_dead(Code& code);

}  // namespace warplock::circuit::ir
