#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

/// The instruction forms that the front end takes, as tables. Each family of instructions has one
/// file under ptx/forms/ with an array of `Form`s, written like the syntax lines of the PTX ISA;
/// the checker and the printer both work from them. To add a form, add a line to its family's file.
namespace warplock::ptx {

class CheckContext;

/// One line of a form table.
///
/// `words`: the mnemonic, then one slot for each dotted word in the order PTX wants them:
///   `KIND:a|b|c`   one of these words, stored where KIND says (type, half, compare, bool,
///   overflow,
///                  direction, prmt, atomic, shuffle, vote, match, redux, barrier, round, space,
///                  vec, flag, keep); `lit:x` is a word that carries nothing
///   `?KIND:a|b`    the same, may be left out
///   `-flag`        no word; the flag is off in this form
///   `@name` stands for a set of words: see `expand_set` in form_table.cpp.
///
/// `operands`: one item for each operand:
///   `TYPE`         a register, an immediate or a special register of that type
///   `=TYPE`        a destination register
///   `|TYPE` `?|TYPE`  a second destination, after `|` in the text (`?`: may be left out)
///   `mem`          an address in brackets;  `label`, `table`, `any`: what they say
///   TYPE is `t` (the first type word), `s` (the second), `2t` (twice as wide as the first) or the
///   name of a type. Letters after a colon: `w` a register may be wider (PTX ISA 9.4.1), `r` only a
///   register, `i` only an immediate, `n` may be negated with `!`, `_` may be `_`, `v` a vector of
///   as many elements as the `vec` word says, `a` the address of a variable is allowed.
struct Form {
  Opcode opcode;
  std::string_view words;
  std::string_view operands;
  /// Further rules of the form; null when the table says it all.
  void (*check)(CheckContext&) = nullptr;
};

std::span<const Form> arithmetic_forms();
std::span<const Form> extended_precision_forms();
std::span<const Form> bit_field_forms();
std::span<const Form> comparison_forms();
std::span<const Form> logic_shift_forms();
std::span<const Form> movement_forms();
std::span<const Form> memory_forms();
std::span<const Form> conversion_forms();
std::span<const Form> control_forms();
std::span<const Form> barrier_forms();
std::span<const Form> atomic_forms();
std::span<const Form> warp_forms();

/// What a word of an instruction says.
enum class SlotKind : uint8_t {
  kType,
  kHalf,
  kCompare,
  kBool,
  kOverflow,
  kDirection,
  kPrmt,
  kAtomic,
  kShuffle,
  kVote,
  kMatch,
  kRedux,
  kBarrier,
  kRound,
  kSpace,
  kVec,
  kFlag,
  kKeep,
  kLiteral,
  kFlagOff,
};

struct Slot {
  SlotKind kind = SlotKind::kLiteral;
  bool optional = false;
  std::vector<std::string_view> words;
};

struct OperandSpec {
  enum class Kind : uint8_t { kValue, kMemory, kLabel, kTable, kAny };
  enum class TypeFrom : uint8_t { kFixed, kFirst, kSecond, kDoubleFirst };
  Kind kind = Kind::kValue;
  TypeFrom type_from = TypeFrom::kFixed;
  Type type = Type::kNone;
  bool destination = false, paired = false, optional = false;
  bool wider = false, only_register = false, only_immediate = false;
  bool negatable = false, sink = false, vector = false, address = false;
};

/// A `Form` taken apart once, at the first use.
struct CompiledForm {
  const Form* form = nullptr;
  std::string_view mnemonic;
  std::vector<Slot> slots;
  std::vector<OperandSpec> operands;
};

/// All forms with that mnemonic, in table order; empty when there is none.
std::span<const CompiledForm* const> forms_of(std::string_view mnemonic);
/// All forms of an opcode (their mnemonics may differ: bar and barrier).
std::span<const CompiledForm* const> forms_of(Opcode opcode);
/// Every form.
std::span<const CompiledForm> all_forms();

/// What the words of an instruction mean.
struct WordMeaning {
  Modifiers modifiers;
  std::array<Type, 2> types{Type::kNone, Type::kNone};
  friend bool operator==(const WordMeaning&, const WordMeaning&) = default;
};

/// Reads `words` (without dots) by the form. Returns how many words fit; all of them, and nothing
/// missing, when `complete` comes back true.
size_t match_words(const CompiledForm& form, std::span<const std::string_view> words,
                   WordMeaning& meaning, bool& complete);

/// The dotted words that say `meaning` in this form; false when it cannot say it.
bool spell_words(const CompiledForm& form, const WordMeaning& meaning, std::string& out);

/// The type of an operand, given the instruction's types.
Type type_of(const OperandSpec& spec, const std::array<Type, 2>& types);

/// The type of that spelling (without the dot), or kNone.
Type type_named(std::string_view word);

/// True for words of PTX that only forms outside our subset have: .f16, .rn, .ftz, .u16x2 of any
/// instruction, .v2 of atom.
bool is_unsupported_word(std::string_view mnemonic, std::string_view word);
/// True for types of PTX outside our subset: f16, b128, texref.
bool is_unsupported_type(std::string_view word);
/// True for instructions of PTX that the front end does not take: fma, tex, mma, cp, ...
bool is_unsupported_mnemonic(std::string_view mnemonic);

}  // namespace warplock::ptx
