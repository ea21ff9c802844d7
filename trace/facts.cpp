#include "trace/facts.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "trace/spelling.h"

namespace warplock::trace {
namespace {

using Op = AtomicOperation::Op;

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() &&
         (std::isspace(static_cast<unsigned char>(text.back())) || text.back() == ';')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Operands at the commas outside brackets.
std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      char c = text[i];
      depth += (c == '[' || c == '{' || c == '(') - (c == ']' || c == '}' || c == ')');
      if (c != ',' || depth > 0) continue;
    }
    std::string_view operand = trim(text.substr(begin, i - begin));
    if (!operand.empty()) out.push_back(operand);
    begin = i + 1;
  }
  return out;
}

/// The words of a mnemonic: "atom.global.add.u32" or LLVM's "atomicrmw add".
std::vector<std::string_view> words_of(std::string_view mnemonic) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  for (size_t i = 0; i <= mnemonic.size(); ++i) {
    if (i < mnemonic.size() && is_name_char(mnemonic[i])) continue;
    if (i > begin) out.push_back(mnemonic.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

bool any_of(const std::vector<std::string_view>& words,
            std::initializer_list<std::string_view> set) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(set.begin(), set.end(), word) != set.end();
  });
}

Op op_of(const std::vector<std::string_view>& words) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"add", Op::kAdd},      {"sub", Op::kSub},   {"and", Op::kAnd},   {"or", Op::kOr},
      {"xor", Op::kXor},      {"exch", Op::kExch}, {"xchg", Op::kExch}, {"cas", Op::kCas},
      {"cmpxchg", Op::kCas},  {"min", Op::kMin},   {"max", Op::kMax},   {"umin", Op::kMin},
      {"umax", Op::kMax},     {"inc", Op::kInc},   {"dec", Op::kDec},   {"uinc_wrap", Op::kInc},
      {"udec_wrap", Op::kDec}};
  for (std::string_view word : words) {
    for (const auto& entry : kOps) {
      if (entry.first == word) return entry.second;
    }
  }
  return Op::kUnknown;
}

std::optional<uint64_t> immediate(std::string_view text) {
  text = trim(text);
  bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  uint64_t value = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return negative ? 0 - value : value;
}

AtomicOperation atomic_of(const std::vector<std::string_view>& words,
                          const std::vector<std::string_view>& operands) {
  AtomicOperation out;
  // Packed and floating-point atomics are not followed.
  if (any_of(words, {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "fadd", "b128"})) return out;
  out.op = op_of(words);
  out.is_signed = any_of(words, {"s32", "s64"}) ||
                  (any_of(words, {"atomicrmw"}) && any_of(words, {"min", "max"}));
  // atom.cas d, [a], b, c compares with b.
  if (out.op == Op::kCas && operands.size() == 4) out.compare = immediate(operands[2]);
  return out;
}

bool is_open_special(std::string_view name) {
  return name.substr(0, 6) == "%clock" || name.substr(0, 11) == "%globaltime" || name == "%smid" ||
         name == "%nsmid";
}

/// Calls `f` with each name in the operand; ".x" of %tid.x is none.
template <typename F>
void each_name(std::string_view operand, F f) {
  for (size_t i = 0; i < operand.size();) {
    if (!is_name_start(operand[i]) || (i > 0 && operand[i - 1] == '.')) {
      // Numbers hold letters too (0x1f): skip a whole word.
      if (is_name_char(operand[i])) {
        while (i < operand.size() && is_name_char(operand[i])) ++i;
      } else {
        ++i;
      }
      continue;
    }
    size_t begin = i++;
    while (i < operand.size() && is_name_char(operand[i])) ++i;
    f(operand.substr(begin, i - begin));
  }
}

}  // namespace

uint32_t NameTable::number(std::string_view name) {
  return numbers_.emplace(std::string(name), static_cast<uint32_t>(numbers_.size())).first->second;
}

std::optional<uint64_t> AtomicOperation::result(uint64_t old, uint64_t operand,
                                                uint32_t width) const {
  const uint64_t mask = mask_of(width);
  old &= mask;
  operand &= mask;
  // Flipping the sign bit turns the signed order into the unsigned one.
  const uint64_t sign = is_signed ? (mask >> 1) + 1 : 0;
  switch (op) {
    case Op::kAdd:
      return (old + operand) & mask;
    case Op::kSub:
      return (old - operand) & mask;
    case Op::kAnd:
      return old & operand;
    case Op::kOr:
      return old | operand;
    case Op::kXor:
      return old ^ operand;
    case Op::kExch:
      return operand;
    case Op::kMin:
      return (old ^ sign) < (operand ^ sign) ? old : operand;
    case Op::kMax:
      return (old ^ sign) > (operand ^ sign) ? old : operand;
    case Op::kInc:
      return old >= operand ? 0 : old + 1;
    case Op::kDec:
      return old == 0 || old > operand ? operand : old - 1;
    case Op::kCas:
      if (old == operand) return old;
      if (!compare) return std::nullopt;
      return old == (*compare & mask) ? operand : old;
    case Op::kUnknown:
      break;
  }
  return std::nullopt;
}

InstructionFacts facts_of(std::string_view text, NameTable& names) {
  InstructionFacts out;
  text = trim(text);
  if (!text.empty() && text.front() == '@') {
    size_t end = std::min(text.find_first_of(" \t"), text.size());
    each_name(text.substr(1, end - 1),
              [&](std::string_view name) { out.guard = names.number(name); });
    if (out.guard != 0xffffffff) out.sources.push_back(out.guard);
    text = trim(text.substr(end));
  }
  size_t end = std::min(text.find_first_of(" \t"), text.size());
  std::string_view mnemonic = text.substr(0, end), rest = text.substr(end);
  std::vector<std::string_view> operands = operands_of(rest);
  std::vector<std::string_view> words = words_of(mnemonic);
  if (words.empty()) return out;
  const std::string_view opcode = words.front();
  const bool atomic = opcode.substr(0, 4) == "atom" || opcode == "red" || opcode == "cmpxchg";
  // LLVM spells the operation as a word of its own.
  std::vector<std::string_view> all_words = words_of(text);
  if (atomic) {
    bool ptx = opcode == "atom" || opcode == "red";
    out.atomic = atomic_of(ptx ? words : all_words, operands);
  }
  out.strong = atomic || any_of(opcode == "ld" || opcode == "st" ? words : all_words,
                                {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio",
                                 "seq_cst", "monotonic"});
  out.is_call = opcode == "call";
  const bool reduces = (opcode == "bar" || opcode == "barrier") && any_of(words, {"red"});
  if (reduces) out.reads = InstructionFacts::Reads::kCta;
  if (any_of({opcode}, {"shfl", "vote", "match", "redux"})) {
    out.reads = InstructionFacts::Reads::kWarp;
  }
  out.open = out.is_active_mask = opcode == "activemask";

  const bool no_destination =
      !reduces && any_of({opcode}, {"st", "red", "bra", "brx", "bar", "barrier", "membar", "fence",
                                    "exit", "ret", "prefetch", "prefetchu", "nop", "trap"});
  for (size_t i = 0; i < operands.size(); ++i) {
    each_name(operands[i], [&](std::string_view name) {
      if (is_open_special(name)) out.open = true;
      // st.param writes the variable in its brackets.
      bool destination =
          i == 0 && (!no_destination || (opcode == "st" && any_of(words, {"param"})));
      (destination ? out.destinations : out.sources).push_back(names.number(name));
    });
  }
  if (any_of(words, {"cc"})) out.destinations.push_back(NameTable::kCarry);
  if (any_of({opcode}, {"addc", "subc", "madc"})) out.sources.push_back(NameTable::kCarry);
  return out;
}

std::vector<InstructionFacts> facts_of(const Trace& trace, NameTable& names) {
  std::vector<InstructionFacts> out;
  out.reserve(trace.instructions.size());
  for (const Instruction& instruction : trace.instructions) {
    out.push_back(facts_of(instruction.text, names));
  }
  return out;
}

}  // namespace warplock::trace
