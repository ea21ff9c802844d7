#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "circuit/isa.h"

/// The machine's vocabulary: every token is one id, and an id says everything (docs/model.md).
namespace warplock::weights {

struct Token {
  enum class Kind : uint8_t {
    // What a run consists of.
    kExec,            ///< executes `block` for `warp` by the lanes in `mask`; `flag`: release
    kRegisterHeader,  ///< opens a record: `index` (register), `warp`, `mask`, `slot` 0..3
    kMemoryHeader,    ///< opens a record: banks in `mask`, `slot` 4..7
    kDataPiece,       ///< byte `chunk` (0..15) of the open record is `value`; `flag`: the last
    kRowPiece,        ///< row of bank `chunk` (0..3) is `value`; `flag`: the last
    kCta,             ///< next CTA of the row, number `index`
    kCtaRow,          ///< next row of CTAs, number `index`
    kHalt,
    // What else a prompt consists of.
    kConfig,  ///< `warp` exists with the lanes in `mask`
    kGridX,
    kGridY,      ///< the last CTA's number is `index`
    kRomHeader,  ///< opens the record of (`block`, `slot`)
    kReset,      ///< forgets everything
  };
  Kind kind = Kind::kHalt;
  uint32_t block = 0, warp = 0, mask = 0, slot = 0, index = 0, chunk = 0, value = 0, flag = 0;
  friend bool operator==(const Token&, const Token&) = default;
};

/// Ids of one machine's tokens, from `first_id` on without a gap; those that a run can contain come
/// first.
class Vocabulary {
 public:
  explicit Vocabulary(const circuit::MachineSpec& spec, uint32_t first_id = 0);

  uint32_t first_id() const { return first_id_; }
  uint32_t size() const { return size_; }
  uint32_t run_size() const { return run_size_; }
  const circuit::MachineSpec& spec() const { return spec_; }

  /// Throws std::out_of_range when the machine has no such token.
  uint32_t id(const Token& token) const;
  Token token(uint32_t id) const;
  /// As the tokenizer spells it: "<|exec:b3:w0:1111|>".
  std::string text(uint32_t id) const;

 private:
  struct Field {
    uint32_t Token::*member;
    uint32_t low, count;
  };
  struct Section {
    Token::Kind kind;
    std::vector<Field> fields;
    uint32_t first = 0, count = 1;
  };
  void add(Token::Kind kind, std::vector<Field> fields);
  const Section& section(Token::Kind kind) const;

  circuit::MachineSpec spec_;
  uint32_t first_id_, size_ = 0, run_size_ = 0;
  std::vector<Section> sections_;
};

std::string text_of(const Token& token);

}  // namespace warplock::weights
