#include <set>

#include <gtest/gtest.h>

#include "ptx/forms.h"

namespace warplock::ptx {
namespace {

/// Word lists of a form: with every optional word and without, and each slot's words in turn.
std::vector<std::vector<std::string_view>> samples(const CompiledForm& form) {
  std::vector<std::vector<std::string_view>> lists;
  for (bool with_optional : {true, false}) {
    for (size_t varied = 0; varied <= form.slots.size(); ++varied) {
      size_t count = varied < form.slots.size() ? form.slots[varied].words.size() : 1;
      for (size_t choice = 0; choice < count; ++choice) {
        std::vector<std::string_view> words;
        for (size_t i = 0; i < form.slots.size(); ++i) {
          const Slot& slot = form.slots[i];
          if (slot.kind == SlotKind::kFlagOff || (slot.optional && !with_optional)) continue;
          words.push_back(slot.words[i == varied ? choice : 0]);
        }
        lists.push_back(words);
      }
    }
  }
  return lists;
}

TEST(FormTable, WordsAreReadAndSpelledAlike) {
  size_t checked = 0;
  for (const CompiledForm& form : all_forms()) {
    for (const std::vector<std::string_view>& words : samples(form)) {
      WordMeaning meaning, again;
      bool complete = false;
      EXPECT_EQ(match_words(form, words, meaning, complete), words.size()) << form.form->words;
      ASSERT_TRUE(complete) << form.form->words;
      std::string text;
      ASSERT_TRUE(spell_words(form, meaning, text)) << form.form->words;
      EXPECT_EQ(text.substr(0, form.mnemonic.size()), form.mnemonic);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000u);
}

TEST(FormTable, EveryOpcodeHasAFormUnderItsName) {
  for (int i = 0; i <= static_cast<int>(Opcode::kRedux); ++i) {
    Opcode opcode = static_cast<Opcode>(i);
    ASSERT_FALSE(forms_of(opcode).empty()) << spelling(opcode);
    std::string_view name = spelling(opcode);
    EXPECT_EQ(forms_of(opcode).front()->mnemonic, name.substr(0, name.find('.')));
  }
}

TEST(FormTable, FormsStateTheirDestinationsFirst) {
  for (const CompiledForm& form : all_forms()) {
    bool sources_began = false;
    for (const OperandSpec& spec : form.operands) {
      EXPECT_FALSE(spec.destination && sources_began) << form.form->words;
      sources_began = sources_began || !spec.destination;
      EXPECT_FALSE(spec.paired && !spec.destination) << form.form->words;
    }
  }
}

TEST(FormTable, MatchStopsAtTheFirstWordThatDoesNotFit) {
  const CompiledForm& add = *forms_of("add").front();
  WordMeaning meaning;
  bool complete = true;
  EXPECT_EQ(match_words(add, std::vector<std::string_view>{"hi", "u32"}, meaning, complete), 0u);
  EXPECT_FALSE(complete);
  EXPECT_EQ(match_words(add, std::vector<std::string_view>{"u32", "u32"}, meaning, complete), 1u);
  EXPECT_FALSE(complete);
  EXPECT_EQ(match_words(add, std::vector<std::string_view>{}, meaning, complete), 0u);
  EXPECT_FALSE(complete);
}

TEST(FormTable, MeaningsThatAFormHasNoWordsForAreNotSpelled) {
  const CompiledForm& add = *forms_of("add").front();
  WordMeaning meaning;
  meaning.types[0] = Type::kU32;
  std::string text;
  EXPECT_TRUE(spell_words(add, meaning, text));
  EXPECT_EQ(text, "add.u32");
  meaning.modifiers.saturate = true;
  EXPECT_FALSE(spell_words(add, meaning, text));
  meaning.modifiers.saturate = false;
  meaning.modifiers.kept = ".ca";
  EXPECT_FALSE(spell_words(add, meaning, text));
}

TEST(FormTable, NothingIsBothTakenAndUnsupported) {
  std::set<std::string_view> taken;
  for (const CompiledForm& form : all_forms()) taken.insert(form.mnemonic);
  for (std::string_view mnemonic : taken)
    EXPECT_FALSE(is_unsupported_mnemonic(mnemonic)) << mnemonic;
  for (std::string_view name : {"fma", "tex", "mma", "cp", "mbarrier", "griddepcontrol", "vadd"}) {
    EXPECT_TRUE(is_unsupported_mnemonic(name)) << name;
  }
}

}  // namespace
}  // namespace warplock::ptx
