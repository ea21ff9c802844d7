#pragma once

#include <functional>
#include <optional>

#include "circuit/ir.h"

/// Arithmetic that needs no machine: constants, and identities such as x + 0.
namespace warplock::circuit::ir {

/// What the machine computes from four words; operations that look at other lanes or at memory
/// have no such value.
std::optional<uint32_t> evaluate(MachineOp op, uint32_t a, uint32_t b, uint32_t c, bool predicate);

/// The instruction that defines a register, when it is the only one and always comes first.
using Definition = std::function<const Instruction*(Register)>;

/// True when the value can only be 0 or 1.
bool is_boolean(const Value& value, const Definition& definition, int depth = 4);

/// The number of low bits that are known to be zero.
uint32_t low_zero_bits(const Value& value, const Definition& definition, int depth = 8);

/// Rewrites an instruction into a simpler one with the same result: constants to operand b, nested
/// constants added up, negations moved into predicates. Gives the result itself when no instruction
/// is needed. `changed` is set when anything was rewritten.
std::optional<Value> simplify(Instruction& instruction, const Definition& definition,
                              bool& changed);

}  // namespace warplock::circuit::ir
