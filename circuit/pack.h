#pragma once

#include <array>
#include <optional>
#include <vector>

#include "circuit/ir.h"

/// From straight code to blocks of a few dependent instructions.
namespace warplock::circuit {

/// An instruction in its slot. Operands that come from a slot of the same block are forwarded.
struct PackedInstruction {
  ir::Instruction instruction;
  /// Slots that operands a, b, c and the predicate come from; -1: a register (or no register).
  std::array<int8_t, 4> from{-1, -1, -1, -1};
  /// Likewise for each event: value, high, old, address and condition.
  std::vector<std::array<int8_t, 5>> event_from;
  /// The result is wanted after the block.
  bool kept = false;
  /// A comparison with zero that makes a predicate of a word in a register.
  bool is_test = false;
};

struct PackedBlock {
  std::vector<std::optional<PackedInstruction>> slots;
  ir::Value predicate;  ///< of the branch; none: always `taken`
  std::optional<uint8_t> branch_slot;
  bool branch_negated = false;
  uint32_t taken = ir::kNoBlock, not_taken = ir::kNoBlock;  ///< packed blocks
  ir::EdgeEvents taken_events, not_taken_events, passing;
  bool barrier = false, serial = false;
  bool first = false;   ///< the first of those of one block of the code
  uint32_t source = 0;  ///< that block
};

/// Rewrites operands into what the machine takes: constants in operand b only, and so on.
void legalize(ir::Code& code);

/// Packs legal code; blocks in converging order. Throws `Unfit` when a serial block does not fit
/// into one machine block.
std::vector<PackedBlock> pack(const ir::Code& code, uint32_t slots);

}  // namespace warplock::circuit
