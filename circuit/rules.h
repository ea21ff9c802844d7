#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "circuit/emitter.h"

/// How PTX instructions become machine operations: one small object for each way, one family a file
/// under circuit/rules/. docs/lowering.md shows how to add one.
namespace warplock::circuit {

struct Rule {
  std::string_view name;
  ptx::Opcode opcode;
  /// Which instructions of that opcode; null: all that no earlier rule of the family takes.
  bool (*matches)(const ptx::Instruction&);
  void (*emit)(Emitter&);
  /// With a guard, it must be branched around: it has loops, stores what cannot be guarded, or lets
  /// the executing lanes see each other.
  bool branches = false;
};

std::span<const Rule> arithmetic_rules();
std::span<const Rule> wide_multiply_rules();
std::span<const Rule> extended_precision_rules();
std::span<const Rule> divide_rules();
std::span<const Rule> bit_count_rules();
std::span<const Rule> bit_field_rules();
std::span<const Rule> compare_rules();
std::span<const Rule> logic_shift_rules();
std::span<const Rule> select_rules();
std::span<const Rule> permute_rules();
std::span<const Rule> move_convert_rules();
std::span<const Rule> memory_rules();
std::span<const Rule> atomic_rules();
std::span<const Rule> shuffle_rules();
std::span<const Rule> vote_match_rules();
std::span<const Rule> synchronize_rules();

/// Every rule; its number is its index here.
const std::vector<Rule>& all_rules();
/// The number of the rule that takes this instruction. Throws `Unfit` when there is none.
uint16_t rule_for(const ptx::Instruction& instruction);

// What several families need.

/// High word of the 64-bit product of two words.
Value high_product(Emitter& emitter, Value a, Value b, bool is_signed);
/// a + b, a - b and a * b modulo 2^64.
Wide add_wide(Emitter& emitter, Wide a, Wide b);
Wide sub_wide(Emitter& emitter, Wide a, Wide b);
Wide multiply_wide(Emitter& emitter, Wide a, Wide b);
/// a < b
Value less_wide(Emitter& emitter, Wide a, Wide b, bool is_signed);
Value equal_wide(Emitter& emitter, Wide a, Wide b);
/// Comparison of sources 0 and 1 by the instruction's .eq, .lt and so on.
Value compare_sources(Emitter& emitter, ptx::Type type);
/// The word extended to 64 bits by its sign, or by zeros.
Wide extend(Emitter& emitter, Value low, bool is_signed);
/// Number of ones, and number of zeros above the highest one, of a word.
Value population_count(Emitter& emitter, Value word);
Value leading_zeros(Emitter& emitter, Value word);
/// 2^n - 1 for n of 0 to 32.
Value low_ones(Emitter& emitter, Value count);
/// Shifts modulo 2^64; amounts of 64 and more shift everything out.
Wide shift_left_wide(Emitter& emitter, Wide value, Value amount);
Wide shift_right_wide(Emitter& emitter, Wide value, Value amount, bool is_signed);
Wide select_wide(Emitter& emitter, Value p, Wide a, Wide b);

/// Restoring division of words, 32 rounds of a loop; by 0: quotient 2^32 - 1, remainder n.
struct Quotient {
  Value quotient, remainder;
};
Quotient divide_words(Emitter& emitter, Value n, Value d);

}  // namespace warplock::circuit
