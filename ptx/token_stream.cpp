#include "ptx/token_stream.h"

#include <algorithm>

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

std::string shown(const Token& token) {
  constexpr size_t kMaxShown = 40;
  std::string text(token.text.substr(0, kMaxShown));
  if (token.text.size() > kMaxShown) text += "...";
  switch (token.kind) {
    case Token::Kind::kEnd:
      return "the end of the text";
    case Token::Kind::kDotWord:
      return fmt::format("'.{}'", text);
    case Token::Kind::kString:
      return fmt::format("\"{}\"", text);
    default:
      return fmt::format("'{}'", text);
  }
}

}  // namespace

TokenStream::TokenStream(const diagnostics::SourceText& source) : source_(source), lexer_(source) {
  current_ = lexer_.next();
  second_ = lexer_.next();
}

Token TokenStream::take() {
  Token taken = current_;
  uint32_t length = static_cast<uint32_t>(std::min<size_t>(taken.text.size(), UINT32_MAX / 2));
  if (taken.kind == Token::Kind::kDotWord) length += 1;
  if (taken.kind == Token::Kind::kString) length += 2;
  previous_end_ = {taken.position.line, taken.position.column + length};
  current_ = second_;
  second_ = lexer_.next();
  return taken;
}

bool TokenStream::accept(char punct) {
  if (!current_.is(punct)) return false;
  take();
  return true;
}

bool TokenStream::accept_word(std::string_view dotted) {
  if (current_.kind != Token::Kind::kDotWord || current_.text != dotted) return false;
  take();
  return true;
}

void TokenStream::expect(char punct, std::string_view after) {
  if (accept(punct)) return;
  fail(previous_end_, "syntax",
       fmt::format("expected '{}' after {}, found {}", punct, after, shown(current_)));
}

Word TokenStream::expect_name(std::string_view what) {
  if (current_.kind != Token::Kind::kName || current_.text == "_") fail_here(what);
  Token token = take();
  return {token.text, token.position};
}

Failure TokenStream::failure(diagnostics::Position position, std::string klass,
                             std::string message) const {
  constexpr size_t kMaxMessage = 300;
  if (message.size() > kMaxMessage) {
    message.resize(kMaxMessage);
    message.append("...");
  }
  return {diagnostics::error_at(source_, position, std::move(klass), std::move(message))};
}

void TokenStream::fail(diagnostics::Position position, std::string klass,
                       std::string message) const {
  throw failure(position, std::move(klass), std::move(message));
}

void TokenStream::fail_here(std::string_view expected) const {
  diagnostics::Position position = at_end() ? previous_end_ : current_.position;
  fail(position, "syntax", fmt::format("expected {}, found {}", expected, shown(current_)));
}

}  // namespace warplock::ptx
