#pragma once

#include "ptx/forms.h"

/// What single words mean: between the words of an instruction and `Modifiers`.
namespace warplock::ptx {

/// Stores what `word` says in a slot of that kind.
void apply_word(SlotKind kind, std::string_view word, WordMeaning& meaning);

/// The word that says the slot's part of `meaning`; empty when there is nothing to say.
/// `types_used` counts the types spelled so far, `kept` is what is left of Modifiers::kept.
std::string_view word_for(const Slot& slot, const WordMeaning& meaning, size_t& types_used,
                          std::string_view& kept);

/// The flag named `word`: sat, cc, to, shiftamt, uni, aligned, volatile, sync.
void set_flag(Modifiers& modifiers, std::string_view word, bool value);

}  // namespace warplock::ptx
