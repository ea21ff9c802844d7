#include "ptx/lexer.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_char(char c) {
  return is_alpha(c) || is_digit(c) || c == '_' || c == '$';
}
bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (is_hex(c)) return (c | 0x20) - 'a' + 10;
  return 99;
}

std::string shown(char c) {
  if (c >= 0x20 && c < 0x7f) return fmt::format("'{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

Lexer::Lexer(const diagnostics::SourceText& source) : source_(source), text_(source.text()) {}

diagnostics::Position Lexer::here() const {
  return {line_, static_cast<uint32_t>(pos_ - line_start_ + 1)};
}

void Lexer::fail(diagnostics::Position position, const char* klass, std::string message) const {
  throw diagnostics::InputError(
      diagnostics::error_at(source_, position, klass, std::move(message)));
}

void Lexer::skip_line() {
  while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
}

void Lexer::skip_comment() {
  diagnostics::Position begin = here();
  pos_ += 2;
  while (pos_ < text_.size()) {
    if (text_[pos_] == '*' && at(pos_ + 1) == '/') {
      pos_ += 2;
      return;
    }
    if (text_[pos_] == '\n') {
      ++line_;
      line_start_ = pos_ + 1;
    }
    ++pos_;
  }
  fail(begin, "lexical", "comment without end");
}

void Lexer::skip_blanks() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '/') {
      skip_line();
    } else if (c == '/' && at(pos_ + 1) == '*') {
      skip_comment();
    } else if (c == '@' && at(pos_ + 1) == '@') {
      skip_line();  // @@DWARF (PTX ISA 11.5.1): debug data of PTX 1.x
    } else {
      return;
    }
  }
}

Token Lexer::take(Token::Kind kind, size_t end) {
  Token token;
  token.kind = kind;
  token.position = here();
  token.text = text_.substr(pos_, end - pos_);
  pos_ = end;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  if (pos_ >= text_.size()) return take(Token::Kind::kEnd, pos_);
  char c = text_[pos_];
  if (is_alpha(c)) return name(1);
  if (c == '_') return name(1);
  if ((c == '$' || c == '%') && is_name_char(at(pos_ + 1))) return name(1);
  if (is_digit(c)) return number();
  if (c == '.' && is_name_char(at(pos_ + 1))) {
    size_t end = pos_ + 1;
    while (is_name_char(at(end)) ||
           (at(end) == ':' && at(end + 1) == ':' && is_name_char(at(end + 2)))) {
      end += at(end) == ':' ? 2 : 1;
    }
    Token token = take(Token::Kind::kDotWord, end);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '"') return string();
  return punctuation();
}

Token Lexer::name(size_t prefix) {
  size_t end = pos_ + prefix;
  while (is_name_char(at(end))) ++end;
  return take(Token::Kind::kName, end);
}

Token Lexer::float_bits(uint32_t digits, Token::Kind kind) {
  size_t end = pos_ + 2;
  uint64_t value = 0;
  for (uint32_t i = 0; i < digits; ++i, ++end) {
    if (!is_hex(at(end))) {
      fail(here(), "lexical",
           fmt::format("a float of this form has {} hexadecimal digits", digits));
    }
    value = value * 16 + static_cast<uint64_t>(digit_value(at(end)));
  }
  Token token = take(kind, end);
  token.value = value;
  if (is_name_char(at(pos_))) fail(token.position, "lexical", "too many digits in a number");
  return token;
}

Token Lexer::decimal_float() {
  size_t end = pos_;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.') ++end;
  while (is_digit(at(end))) ++end;
  if (at(end) == 'e' || at(end) == 'E') {
    ++end;
    if (at(end) == '+' || at(end) == '-') ++end;
    if (!is_digit(at(end))) fail(here(), "lexical", "malformed number");
    while (is_digit(at(end))) ++end;
  }
  if (is_name_char(at(end)) || end - pos_ > 64) fail(here(), "lexical", "malformed number");
  Token token = take(Token::Kind::kFloat64, end);
  token.value = std::bit_cast<uint64_t>(std::strtod(std::string(token.text).c_str(), nullptr));
  return token;
}

Token Lexer::number() {
  char second = static_cast<char>(at(pos_ + 1) | 0x20);
  bool zero = text_[pos_] == '0';
  if (zero && second == 'f') return float_bits(8, Token::Kind::kFloat32);
  if (zero && second == 'd') return float_bits(16, Token::Kind::kFloat64);
  size_t begin = pos_;
  int radix = 10;
  if (zero && second == 'x') {
    radix = 16;
    begin += 2;
  } else if (zero && second == 'b') {
    radix = 2;
    begin += 2;
  } else {
    size_t end = pos_;
    while (is_digit(at(end))) ++end;
    if (at(end) == '.' || at(end) == 'e' || at(end) == 'E') return decimal_float();
    if (zero) radix = 8;
  }
  size_t end = begin;
  uint64_t value = 0;
  bool too_large = false;
  for (; digit_value(at(end)) < radix; ++end) {
    uint64_t factor = static_cast<uint64_t>(radix);
    if (value > (UINT64_MAX - static_cast<uint64_t>(digit_value(at(end)))) / factor) {
      too_large = true;
    }
    value = value * factor + static_cast<uint64_t>(digit_value(at(end)));
  }
  bool no_digits = end == begin;
  bool is_unsigned = at(end) == 'U';
  if (is_unsigned) ++end;
  if (no_digits || is_name_char(at(end))) fail(here(), "lexical", "malformed number");
  if (too_large) fail(here(), "out of range", "a literal has at most 64 bits");
  Token token = take(Token::Kind::kInteger, end);
  token.value = value;
  token.is_unsigned = is_unsigned || value > static_cast<uint64_t>(INT64_MAX);
  return token;
}

Token Lexer::string() {
  size_t end = pos_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += (text_[end] == '\\' && at(end + 1) != '\n' && end + 1 < text_.size()) ? 2 : 1;
  }
  if (end >= text_.size() || text_[end] != '"') fail(here(), "lexical", "string without end");
  Token token = take(Token::Kind::kString, end + 1);
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

Token Lexer::punctuation() {
  constexpr std::string_view kDouble[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  std::string_view two = text_.substr(pos_, 2);
  for (std::string_view punct : kDouble) {
    if (two == punct) return take(Token::Kind::kPunct, pos_ + 2);
  }
  constexpr std::string_view kSingle = ";,:{}()[]<>@|!=+-*/%&^~?";
  if (kSingle.find(text_[pos_]) == std::string_view::npos || text_[pos_] == '\0') {
    fail(here(), "lexical", fmt::format("{} is no part of PTX", shown(text_[pos_])));
  }
  return take(Token::Kind::kPunct, pos_ + 1);
}

}  // namespace warplock::ptx
