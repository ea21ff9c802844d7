#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

/// An instruction as it stands in the text, before its names and words are understood.
namespace warplock::ptx {

/// The value of a literal or of a constant expression (PTX ISA 4.5).
struct Constant {
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat32, kFloat64 };
  Kind kind = Kind::kSigned;
  uint64_t bits = 0;

  bool is_integer() const { return kind == Kind::kSigned || kind == Kind::kUnsigned; }
  bool is_negative() const { return kind == Kind::kSigned && static_cast<int64_t>(bits) < 0; }
};

/// True when the integer is within -2^(width-1) .. 2^width - 1.
inline bool fits(const Constant& constant, uint32_t width) {
  if (width >= 64) return true;
  if (constant.is_negative()) {
    return static_cast<int64_t>(constant.bits) >= -(int64_t{1} << (width - 1));
  }
  return constant.bits < (uint64_t{1} << width);
}

/// A name or a dotted word (then without its dot).
struct Word {
  std::string_view text;
  diagnostics::Position position;
};

struct RawOperand {
  enum class Kind : uint8_t {
    kName,      ///< `name`, `component` (x of %tid.x), `offset` after a plus sign
    kConstant,  ///< `constant`
    kAddress,   ///< [name + offset] or, with an empty name, [constant]
    kVector,    ///< { elements }
    kSink,      ///< _
    kList,      ///< ( elements ) of a call
  };
  Kind kind = Kind::kSink;
  bool negated = false;  ///< !name
  bool paired = false;   ///< stands after `|`
  bool has_offset = false;
  bool unified = false;  ///< .unified after an address
  std::string_view name;
  std::string_view component;
  Constant constant;
  int64_t offset = 0;
  std::vector<RawOperand> elements;
  diagnostics::Position position;
};

struct RawInstruction {
  Word guard;  ///< empty text: none
  bool guard_negated = false;
  Word opcode;
  std::vector<Word> words;
  std::vector<RawOperand> operands;
};

}  // namespace warplock::ptx
