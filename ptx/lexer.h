#pragma once

#include <cstdint>
#include <string_view>

#include "diagnostics/diagnostic.h"

/// Words of PTX text (PTX ISA 4): names, dotted words, literals, punctuation.
namespace warplock::ptx {

struct Token {
  enum class Kind : uint8_t {
    kEnd,
    kName,     ///< add, %r1, $L__BB0_2, _; `text` has all of it
    kDotWord,  ///< .u32, .L1::evict_last; `text` is without the dot
    kInteger,  ///< `value`, `is_unsigned`
    kFloat32,  ///< 0f3F800000; `value` has the bits
    kFloat64,  ///< 0d..., 1.5; `value` has the bits
    kString,   ///< `text` is without the quotes
    kPunct,    ///< one or two characters: ; , { << && ...
  };
  Kind kind = Kind::kEnd;
  bool is_unsigned = false;
  std::string_view text;
  uint64_t value = 0;
  diagnostics::Position position;

  bool is(char punct) const { return kind == Kind::kPunct && text.size() == 1 && text[0] == punct; }
  bool is(std::string_view punct) const { return kind == Kind::kPunct && text == punct; }
};

/// Gives the tokens of a text one after another. Throws `InputError` (class "lexical") at the first
/// byte that no token can start with, at an unterminated comment or string and at a malformed
/// number.
class Lexer {
 public:
  explicit Lexer(const diagnostics::SourceText& source);

  /// The next token; kEnd for ever once the text is over.
  Token next();

 private:
  char at(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  diagnostics::Position here() const;
  void skip_blanks();
  void skip_comment();
  void skip_line();
  Token name(size_t prefix);
  Token number();
  Token float_bits(uint32_t digits, Token::Kind kind);
  Token decimal_float();
  Token string();
  Token punctuation();
  Token take(Token::Kind kind, size_t end);
  [[noreturn]] void fail(diagnostics::Position position, const char* klass,
                         std::string message) const;

  const diagnostics::SourceText& source_;
  std::string_view text_;
  size_t pos_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace warplock::ptx
