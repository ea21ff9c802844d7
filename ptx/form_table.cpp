#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "ptx/form_words.h"
#include "ptx/forms.h"

namespace warplock::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    if (end != 0) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

/// The sets of words that several forms share.
std::string_view expand_set(std::string_view name) {
  static const std::map<std::string_view, std::string_view> sets = {
      {"@int", "u16|s16|u32|s32|u64|s64"},
      {"@int32", "u32|s32"},
      {"@int32_64", "u32|s32|u64|s64"},
      {"@signed", "s16|s32|s64"},
      {"@int8_64", "u8|s8|u16|s16|u32|s32|u64|s64"},
      {"@bits", "b16|b32|b64"},
      {"@moved", "b16|b32|b64|u16|s16|u32|s32|u64|s64|f32|f64"},
      {"@memory", "b8|b16|b32|b64|u8|s8|u16|s16|u32|s32|u64|s64|f32|f64"},
      {"@compare_signed", "eq|ne|lt|le|gt|ge"},
      {"@compare_unsigned", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
      {"@scope", "cta|cluster|gpu|sys"},
      {"@load_cache", "ca|cg|cs|lu|cv"},
      {"@store_cache", "wb|cg|cs|wt"},
      {"@l1_eviction",
       "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
      {"@l2_prefetch", "L2::64B|L2::128B|L2::256B"},
      {"@load_space", "const|global|local|param|param::entry|param::func|shared|shared::cta"},
      {"@store_space", "global|local|param|param::func|shared|shared::cta"},
      {"@strong_space", "global|shared|shared::cta"},
      {"@window", "const|global|local|shared|shared::cta|param|param::entry"},
  };
  auto found = sets.find(name);
  if (found == sets.end()) throw std::logic_error(fmt::format("no word set {}", name));
  return found->second;
}

SlotKind kind_named(std::string_view name) {
  static const std::map<std::string_view, SlotKind> kinds = {
      {"type", SlotKind::kType},         {"half", SlotKind::kHalf},
      {"compare", SlotKind::kCompare},   {"bool", SlotKind::kBool},
      {"overflow", SlotKind::kOverflow}, {"direction", SlotKind::kDirection},
      {"prmt", SlotKind::kPrmt},         {"atomic", SlotKind::kAtomic},
      {"shuffle", SlotKind::kShuffle},   {"vote", SlotKind::kVote},
      {"match", SlotKind::kMatch},       {"redux", SlotKind::kRedux},
      {"barrier", SlotKind::kBarrier},   {"round", SlotKind::kRound},
      {"space", SlotKind::kSpace},       {"vec", SlotKind::kVec},
      {"flag", SlotKind::kFlag},         {"keep", SlotKind::kKeep},
      {"lit", SlotKind::kLiteral},
  };
  auto found = kinds.find(name);
  if (found == kinds.end()) throw std::logic_error(fmt::format("no slot kind {}", name));
  return found->second;
}

Slot compile_slot(std::string_view text) {
  Slot slot;
  if (text[0] == '-') {
    slot.kind = SlotKind::kFlagOff;
    slot.words.push_back(text.substr(1));
    return slot;
  }
  if (text[0] == '?') {
    slot.optional = true;
    text.remove_prefix(1);
  }
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw std::logic_error(fmt::format("bad slot {}", text));
  slot.kind = kind_named(text.substr(0, colon));
  for (std::string_view word : split(text.substr(colon + 1), '|')) {
    if (word[0] == '@') {
      for (std::string_view member : split(expand_set(word), '|')) slot.words.push_back(member);
    } else {
      slot.words.push_back(word);
    }
  }
  return slot;
}

OperandSpec compile_operand(std::string_view text) {
  OperandSpec spec;
  if (text[0] == '?') {
    spec.optional = true;
    text.remove_prefix(1);
  }
  if (text[0] == '=' || text[0] == '|') {
    spec.destination = true;
    spec.paired = text[0] == '|';
    text.remove_prefix(1);
  }
  size_t colon = text.find(':');
  std::string_view letters =
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  text = text.substr(0, colon);
  for (char c : letters) {
    switch (c) {
      case 'w':
        spec.wider = true;
        break;
      case 'r':
        spec.only_register = true;
        break;
      case 'i':
        spec.only_immediate = true;
        break;
      case 'n':
        spec.negatable = true;
        break;
      case '_':
        spec.sink = true;
        break;
      case 'v':
        spec.vector = true;
        break;
      case 'a':
        spec.address = true;
        break;
      default:
        throw std::logic_error(fmt::format("bad operand letter {}", c));
    }
  }
  if (text == "mem") {
    spec.kind = OperandSpec::Kind::kMemory;
  } else if (text == "label") {
    spec.kind = OperandSpec::Kind::kLabel;
  } else if (text == "table") {
    spec.kind = OperandSpec::Kind::kTable;
  } else if (text == "any") {
    spec.kind = OperandSpec::Kind::kAny;
  } else if (text == "t") {
    spec.type_from = OperandSpec::TypeFrom::kFirst;
  } else if (text == "s") {
    spec.type_from = OperandSpec::TypeFrom::kSecond;
  } else if (text == "2t") {
    spec.type_from = OperandSpec::TypeFrom::kDoubleFirst;
  } else {
    spec.type = type_named(text);
    if (spec.type == Type::kNone) throw std::logic_error(fmt::format("bad operand {}", text));
  }
  return spec;
}

struct Tables {
  std::vector<CompiledForm> forms;
  std::map<std::string_view, std::vector<const CompiledForm*>> by_mnemonic;
  std::map<Opcode, std::vector<const CompiledForm*>> by_opcode;
};

Tables compile_tables() {
  Tables tables;
  const std::span<const Form> families[] = {arithmetic_forms(),  extended_precision_forms(),
                                            bit_field_forms(),   comparison_forms(),
                                            logic_shift_forms(), movement_forms(),
                                            memory_forms(),      conversion_forms(),
                                            control_forms(),     barrier_forms(),
                                            atomic_forms(),      warp_forms()};
  for (std::span<const Form> family : families) {
    for (const Form& form : family) {
      CompiledForm compiled;
      compiled.form = &form;
      std::vector<std::string_view> parts = split(form.words, ' ');
      compiled.mnemonic = parts.front();
      for (size_t i = 1; i < parts.size(); ++i) compiled.slots.push_back(compile_slot(parts[i]));
      for (std::string_view operand : split(form.operands, ' ')) {
        compiled.operands.push_back(compile_operand(operand));
      }
      tables.forms.push_back(std::move(compiled));
    }
  }
  for (const CompiledForm& form : tables.forms) {
    tables.by_mnemonic[form.mnemonic].push_back(&form);
    tables.by_opcode[form.form->opcode].push_back(&form);
  }
  return tables;
}

const Tables& tables() {
  static const Tables compiled = compile_tables();
  return compiled;
}

}  // namespace

std::span<const CompiledForm> all_forms() {
  return tables().forms;
}

std::span<const CompiledForm* const> forms_of(std::string_view mnemonic) {
  auto found = tables().by_mnemonic.find(mnemonic);
  if (found == tables().by_mnemonic.end()) return {};
  return found->second;
}

std::span<const CompiledForm* const> forms_of(Opcode opcode) {
  auto found = tables().by_opcode.find(opcode);
  if (found == tables().by_opcode.end()) return {};
  return found->second;
}

size_t match_words(const CompiledForm& form, std::span<const std::string_view> words,
                   WordMeaning& meaning, bool& complete) {
  meaning = WordMeaning{};
  complete = false;
  size_t used = 0;
  for (const Slot& slot : form.slots) {
    if (slot.kind == SlotKind::kFlagOff) {
      set_flag(meaning.modifiers, slot.words.front(), false);
      continue;
    }
    bool fits = used < words.size() &&
                std::find(slot.words.begin(), slot.words.end(), words[used]) != slot.words.end();
    if (fits) {
      apply_word(slot.kind, words[used], meaning);
      ++used;
    } else if (!slot.optional) {
      return used;
    }
  }
  complete = used == words.size();
  return used;
}

bool spell_words(const CompiledForm& form, const WordMeaning& meaning, std::string& out) {
  std::vector<std::string_view> words;
  size_t types_used = 0;
  std::string_view kept = meaning.modifiers.kept;
  for (const Slot& slot : form.slots) {
    if (slot.kind == SlotKind::kFlagOff) continue;
    std::string_view word = word_for(slot, meaning, types_used, kept);
    if (!word.empty()) {
      words.push_back(word);
    } else if (!slot.optional) {
      return false;
    }
  }
  // The words are right only when reading them gives the same meaning back: what this form has no
  // slot for would be lost otherwise.
  WordMeaning again;
  bool complete = false;
  match_words(form, words, again, complete);
  if (!complete || !(again == meaning)) return false;
  out = form.mnemonic;
  for (std::string_view word : words) {
    out += '.';
    out += word;
  }
  return true;
}

Type type_of(const OperandSpec& spec, const std::array<Type, 2>& types) {
  switch (spec.type_from) {
    case OperandSpec::TypeFrom::kFixed:
      return spec.type;
    case OperandSpec::TypeFrom::kFirst:
      return types[0];
    case OperandSpec::TypeFrom::kSecond:
      return types[1];
    case OperandSpec::TypeFrom::kDoubleFirst:
      break;
  }
  switch (types[0]) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    case Type::kS32:
      return Type::kS64;
    default:
      throw std::logic_error("no type of twice the width");
  }
}

}  // namespace warplock::ptx
