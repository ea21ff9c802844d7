#include "ptx/form_words.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

template <typename Enum, size_t N>
Enum value_of(const Word<Enum> (&table)[N], std::string_view text) {
  for (const Word<Enum>& word : table) {
    if (word.text == text) return word.value;
  }
  throw std::logic_error(fmt::format("the word {} has no meaning in its slot", text));
}

/// The first word of the slot that means `value`; empty for "not given".
template <typename Enum, size_t N>
std::string_view word_in(const Word<Enum> (&table)[N], Enum value, const Slot& slot) {
  for (const Word<Enum>& word : table) {
    if (word.value == value &&
        std::find(slot.words.begin(), slot.words.end(), word.text) != slot.words.end()) {
      return word.text;
    }
  }
  return {};
}

constexpr Word<Half> kHalves[] = {{"lo", Half::kLo}, {"hi", Half::kHi}, {"wide", Half::kWide}};
constexpr Word<Compare> kCompares[] = {
    {"eq", Compare::kEq}, {"ne", Compare::kNe}, {"lt", Compare::kLt}, {"le", Compare::kLe},
    {"gt", Compare::kGt}, {"ge", Compare::kGe}, {"lo", Compare::kLt}, {"ls", Compare::kLe},
    {"hi", Compare::kGt}, {"hs", Compare::kGe}};
constexpr Word<BoolOp> kBoolOps[] = {
    {"and", BoolOp::kAnd}, {"or", BoolOp::kOr}, {"xor", BoolOp::kXor}};
constexpr Word<Overflow> kOverflows[] = {{"clamp", Overflow::kClamp}, {"wrap", Overflow::kWrap}};
constexpr Word<Direction> kDirections[] = {{"l", Direction::kLeft}, {"r", Direction::kRight}};
constexpr Word<PrmtMode> kPrmtModes[] = {{"f4e", PrmtMode::kF4e}, {"b4e", PrmtMode::kB4e},
                                         {"rc8", PrmtMode::kRc8}, {"ecl", PrmtMode::kEcl},
                                         {"ecr", PrmtMode::kEcr}, {"rc16", PrmtMode::kRc16}};
constexpr Word<AtomicOp> kAtomics[] = {{"add", AtomicOp::kAdd},   {"and", AtomicOp::kAnd},
                                       {"or", AtomicOp::kOr},     {"xor", AtomicOp::kXor},
                                       {"exch", AtomicOp::kExch}, {"cas", AtomicOp::kCas},
                                       {"min", AtomicOp::kMin},   {"max", AtomicOp::kMax},
                                       {"inc", AtomicOp::kInc},   {"dec", AtomicOp::kDec}};
constexpr Word<ShuffleMode> kShuffles[] = {{"up", ShuffleMode::kUp},
                                           {"down", ShuffleMode::kDown},
                                           {"bfly", ShuffleMode::kBfly},
                                           {"idx", ShuffleMode::kIdx}};
constexpr Word<VoteMode> kVotes[] = {{"all", VoteMode::kAll},
                                     {"any", VoteMode::kAny},
                                     {"uni", VoteMode::kUni},
                                     {"ballot", VoteMode::kBallot}};
constexpr Word<MatchMode> kMatches[] = {{"any", MatchMode::kAny}, {"all", MatchMode::kAll}};
constexpr Word<ReduxOp> kReduxOps[] = {{"add", ReduxOp::kAdd}, {"min", ReduxOp::kMin},
                                       {"max", ReduxOp::kMax}, {"and", ReduxOp::kAnd},
                                       {"or", ReduxOp::kOr},   {"xor", ReduxOp::kXor}};
constexpr Word<BarrierOp> kBarriers[] = {{"sync", BarrierOp::kSync},
                                         {"arrive", BarrierOp::kArrive},
                                         {"popc", BarrierOp::kRedPopc},
                                         {"and", BarrierOp::kRedAnd},
                                         {"or", BarrierOp::kRedOr}};
constexpr Word<Rounding> kRoundings[] = {
    {"rn", Rounding::kRn}, {"rz", Rounding::kRz}, {"rm", Rounding::kRm}, {"rp", Rounding::kRp}};
constexpr Word<Space> kSpaceWords[] = {
    {"const", Space::kConst},   {"global", Space::kGlobal},      {"local", Space::kLocal},
    {"param", Space::kParam},   {"param::entry", Space::kParam}, {"param::func", Space::kParam},
    {"shared", Space::kShared}, {"shared::cta", Space::kShared}};
constexpr Word<uint8_t> kVectors[] = {{"v2", 2}, {"v4", 4}};

bool flag(const Modifiers& modifiers, std::string_view word) {
  if (word == "sat") return modifiers.saturate;
  if (word == "cc") return modifiers.carry_out;
  if (word == "to") return modifiers.to;
  if (word == "shiftamt") return modifiers.shift_amount;
  if (word == "uni") return modifiers.uniform;
  if (word == "aligned") return modifiers.aligned;
  if (word == "volatile") return modifiers.is_volatile;
  if (word == "sync") return modifiers.sync;
  throw std::logic_error(fmt::format("no flag {}", word));
}

/// Takes the next kept word when the slot has it.
std::string_view take_kept(const Slot& slot, std::string_view& kept) {
  if (kept.empty()) return {};
  std::string_view word = kept.substr(1);
  word = word.substr(0, word.find('.'));
  auto found = std::find(slot.words.begin(), slot.words.end(), word);
  if (found == slot.words.end()) return {};
  kept.remove_prefix(word.size() + 1);
  return *found;
}

}  // namespace

void set_flag(Modifiers& modifiers, std::string_view word, bool value) {
  if (word == "sat")
    modifiers.saturate = value;
  else if (word == "cc")
    modifiers.carry_out = value;
  else if (word == "to")
    modifiers.to = value;
  else if (word == "shiftamt")
    modifiers.shift_amount = value;
  else if (word == "uni")
    modifiers.uniform = value;
  else if (word == "aligned")
    modifiers.aligned = value;
  else if (word == "volatile")
    modifiers.is_volatile = value;
  else if (word == "sync")
    modifiers.sync = value;
  else
    throw std::logic_error(fmt::format("no flag {}", word));
}

void apply_word(SlotKind kind, std::string_view word, WordMeaning& meaning) {
  Modifiers& m = meaning.modifiers;
  switch (kind) {
    case SlotKind::kType:
      meaning.types[meaning.types[0] == Type::kNone ? 0 : 1] = type_named(word);
      return;
    case SlotKind::kHalf:
      m.half = value_of(kHalves, word);
      return;
    case SlotKind::kCompare:
      m.compare = value_of(kCompares, word);
      return;
    case SlotKind::kBool:
      m.bool_op = value_of(kBoolOps, word);
      return;
    case SlotKind::kOverflow:
      m.overflow = value_of(kOverflows, word);
      return;
    case SlotKind::kDirection:
      m.direction = value_of(kDirections, word);
      return;
    case SlotKind::kPrmt:
      m.prmt = value_of(kPrmtModes, word);
      return;
    case SlotKind::kAtomic:
      m.atomic = value_of(kAtomics, word);
      return;
    case SlotKind::kShuffle:
      m.shuffle = value_of(kShuffles, word);
      return;
    case SlotKind::kVote:
      m.vote = value_of(kVotes, word);
      return;
    case SlotKind::kMatch:
      m.match = value_of(kMatches, word);
      return;
    case SlotKind::kRedux:
      m.redux = value_of(kReduxOps, word);
      return;
    case SlotKind::kBarrier:
      m.barrier = value_of(kBarriers, word);
      return;
    case SlotKind::kRound:
      m.rounding = value_of(kRoundings, word);
      return;
    case SlotKind::kSpace:
      m.space = value_of(kSpaceWords, word);
      return;
    case SlotKind::kVec:
      m.vector = value_of(kVectors, word);
      return;
    case SlotKind::kFlag:
      set_flag(m, word, true);
      return;
    case SlotKind::kKeep:
      m.kept += '.';
      m.kept += word;
      return;
    case SlotKind::kLiteral:
    case SlotKind::kFlagOff:
      return;
  }
}

std::string_view word_for(const Slot& slot, const WordMeaning& meaning, size_t& types_used,
                          std::string_view& kept) {
  const Modifiers& m = meaning.modifiers;
  switch (slot.kind) {
    case SlotKind::kType: {
      if (types_used >= meaning.types.size()) return {};
      std::string_view word = spelling(meaning.types[types_used]);
      auto found = std::find(slot.words.begin(), slot.words.end(), word);
      if (found == slot.words.end()) return {};
      ++types_used;
      return *found;
    }
    case SlotKind::kHalf:
      return word_in(kHalves, m.half, slot);
    case SlotKind::kCompare:
      return word_in(kCompares, m.compare, slot);
    case SlotKind::kBool:
      return word_in(kBoolOps, m.bool_op, slot);
    case SlotKind::kOverflow:
      return word_in(kOverflows, m.overflow, slot);
    case SlotKind::kDirection:
      return word_in(kDirections, m.direction, slot);
    case SlotKind::kPrmt:
      return word_in(kPrmtModes, m.prmt, slot);
    case SlotKind::kAtomic:
      return word_in(kAtomics, m.atomic, slot);
    case SlotKind::kShuffle:
      return word_in(kShuffles, m.shuffle, slot);
    case SlotKind::kVote:
      return word_in(kVotes, m.vote, slot);
    case SlotKind::kMatch:
      return word_in(kMatches, m.match, slot);
    case SlotKind::kRedux:
      return word_in(kReduxOps, m.redux, slot);
    case SlotKind::kBarrier:
      return word_in(kBarriers, m.barrier, slot);
    case SlotKind::kRound:
      return word_in(kRoundings, m.rounding, slot);
    case SlotKind::kSpace:
      return word_in(kSpaceWords, m.space, slot);
    case SlotKind::kVec:
      return word_in(kVectors, m.vector, slot);
    case SlotKind::kFlag:
      return flag(m, slot.words.front()) ? slot.words.front() : std::string_view{};
    case SlotKind::kKeep:
      return take_kept(slot, kept);
    case SlotKind::kLiteral:
      return slot.words.front();
    case SlotKind::kFlagOff:
      return {};
  }
  return {};
}

Type type_named(std::string_view word) {
  for (int i = 1; i <= static_cast<int>(Type::kPred); ++i) {
    if (spelling(static_cast<Type>(i)) == word) return static_cast<Type>(i);
  }
  return Type::kNone;
}

}  // namespace warplock::ptx
