#include "circuit/rules.h"

#include <fmt/format.h>

namespace warplock::circuit {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (std::span<const Rule> family :
         {arithmetic_rules(), wide_multiply_rules(), extended_precision_rules(), divide_rules(),
          bit_count_rules(), bit_field_rules(), compare_rules(), logic_shift_rules(),
          select_rules(), permute_rules(), move_convert_rules(), memory_rules(), atomic_rules(),
          shuffle_rules(), vote_match_rules(), synchronize_rules()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return rules;
}

uint16_t rule_for(const ptx::Instruction& instruction) {
  const std::vector<Rule>& rules = all_rules();
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].opcode != instruction.opcode) continue;
    if (rules[i].matches == nullptr || rules[i].matches(instruction)) {
      return static_cast<uint16_t>(i);
    }
  }
  throw Unfit(fmt::format("line {}: no rule lowers this form of {}", instruction.position.line,
                          ptx::spelling(instruction.opcode)));
}

}  // namespace warplock::circuit
