#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/event.h"

namespace warplock::trace {

/// Names of registers (and of .param variables, which carry values the same way) under numbers.
class NameTable {
 public:
  NameTable() { number("CC.CF"); }
  static constexpr uint32_t kCarry = 0;  ///< the carry flag of add.cc, addc, ... (PTX ISA 9.7.2)

  uint32_t number(std::string_view name);
  size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

/// What an atomic makes of a location.
struct AtomicOperation {
  enum class Op : uint8_t {
    kUnknown,
    kAdd,
    kSub,
    kAnd,
    kOr,
    kXor,
    kExch,
    kCas,
    kMin,
    kMax,
    kInc,
    kDec
  };
  Op op = Op::kUnknown;
  bool is_signed = false;
  std::optional<uint64_t> compare;  ///< cas: what it compares with, where the text says it

  /// What the location holds after, when it held `old`, as `width` bytes; nothing where that cannot
  /// be told. PTX ISA 9.7.12 (atom).
  std::optional<uint64_t> result(uint64_t old, uint64_t operand, uint32_t width) const;
};

/// What the comparison has to know of an instruction, from its text.
struct InstructionFacts {
  std::vector<uint32_t> sources;       ///< names it reads, its guard and address registers included
  std::vector<uint32_t> destinations;  ///< names it writes
  uint32_t guard = 0xffffffff;         ///< the name of @p, when there is one
  /// Whose registers it reads: of the warp for shfl, vote, match, redux; of the CTA for bar.red.
  enum class Reads : uint8_t { kThread, kWarp, kCta };
  Reads reads = Reads::kThread;
  bool open = false;  ///< its result is not fixed by PTX: a clock, activemask
  bool is_active_mask = false;
  bool strong = false;  ///< an access that may synchronise: atom, red, volatile, relaxed, ...
  bool is_call = false;
  AtomicOperation atomic;
};

/// Reads the text of an instruction as PTX, or as much of it as looks like PTX.
InstructionFacts facts_of(std::string_view text, NameTable& names);
std::vector<InstructionFacts> facts_of(const Trace& trace, NameTable& names);

}  // namespace warplock::trace
