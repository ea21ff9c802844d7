#pragma once

#include <vector>

#include "circuit/pack.h"

namespace warplock::circuit {

struct Allocation {
  std::vector<int> colors;  ///< by virtual register: its machine register, -1: never in one
  /// Registers for which there was no machine register; empty when all went well.
  std::vector<ir::Register> failed;
  /// What stands in their way, the cheapest to spill first.
  std::vector<ir::Register> neighbours;
  uint32_t most_live = 0;  ///< values wanted at once, at the worst place
};

/// Gives the virtual registers that live across packed blocks machine registers 1 to `registers`-1.
/// Two may share one when no block writes the one while the other is wanted afterwards: a block
/// reads its registers before it writes any.
Allocation allocate(const std::vector<PackedBlock>& blocks, uint32_t virtual_registers,
                    uint32_t registers, const std::vector<bool>& keep);

/// Keeps `reg` out of machine registers as far as possible: it is computed again where that takes
/// one instruction, else kept in memory, a word for each thread from byte address `base` on.
void spill(ir::Code& code, ir::Register reg, uint32_t base, bool& used_memory,
           std::vector<ir::Register>& made);

}  // namespace warplock::circuit
