#pragma once

#include <cstdint>
#include <vector>

#include "circuit/ir.h"

namespace warplock::circuit::ir {

/// A set of registers.
class RegisterSet {
 public:
  explicit RegisterSet(uint32_t registers = 0) : words_((registers + 63) / 64) {}
  bool has(Register reg) const { return (words_[reg / 64] >> (reg % 64) & 1) != 0; }
  void add(Register reg) { words_[reg / 64] |= uint64_t{1} << (reg % 64); }
  void remove(Register reg) { words_[reg / 64] &= ~(uint64_t{1} << (reg % 64)); }
  /// Adds all of `other`; true when that changed anything.
  bool unite(const RegisterSet& other);
  template <class F>
  void for_each(F f) const {
    for (size_t word = 0; word < words_.size(); ++word) {
      for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        f(static_cast<Register>(64 * word + static_cast<size_t>(__builtin_ctzll(bits))));
      }
    }
  }
  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;

 private:
  std::vector<uint64_t> words_;
};

/// The blocks that follow a block, at most two, without exits.
std::vector<uint32_t> successors(const Block& block);
std::vector<std::vector<uint32_t>> predecessors(const Code& code);

/// Registers whose value is still wanted at the beginning and the end of each block.
struct Liveness {
  std::vector<RegisterSet> in, out;
};
Liveness liveness(const Code& code);
/// Goes backwards over one instruction.
void step_back(const Instruction& instruction, RegisterSet& live);

/// The instruction that defines each register, when there is only one and it comes before every
/// use; null for others. Pointers are good until instructions are added or removed.
std::vector<const Instruction*> stable_definitions(const Code& code);

/// The nearest dominator of each block; kNoBlock for the first and for unreachable ones.
std::vector<uint32_t> dominators(const Code& code);

/// Blocks in an order in which lanes reconverge when the lowest goes first: every block after its
/// dominators, loops without a gap, and what follows a branch after both of its sides. Unreachable
/// blocks are left out.
std::vector<uint32_t> converging_order(const Code& code);

}  // namespace warplock::circuit::ir
