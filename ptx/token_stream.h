#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ptx/lexer.h"
#include "ptx/syntax.h"

namespace warplock::ptx {

/// One error inside a statement: thrown where it is found, caught where parsing can go on.
struct Failure {
  diagnostics::Diagnostic diagnostic;
};

/// The tokens of a text, read one at a time with two of lookahead, and the errors of a module.
class TokenStream {
 public:
  explicit TokenStream(const diagnostics::SourceText& source);

  const Token& peek() const { return current_; }
  const Token& peek_second() const { return second_; }
  Token take();
  bool at_end() const { return current_.kind == Token::Kind::kEnd; }
  /// Takes the token when it is that punctuation or dotted word.
  bool accept(char punct);
  bool accept_word(std::string_view dotted);
  /// Takes that punctuation or fails (class "syntax") at the end of the token before it: that is
  /// the line where it is missing.
  void expect(char punct, std::string_view after);
  Word expect_name(std::string_view what);

  /// An error of this text. Long messages are cut: names in them may have any length.
  Failure failure(diagnostics::Position position, std::string klass, std::string message) const;
  /// Throws it.
  [[noreturn]] void fail(diagnostics::Position position, std::string klass,
                         std::string message) const;
  /// Class "syntax" at the current token, which the message names.
  [[noreturn]] void fail_here(std::string_view expected) const;

  const diagnostics::SourceText& source() const { return source_; }
  /// The place just after the token taken last.
  diagnostics::Position end_of_previous() const { return previous_end_; }

 private:
  const diagnostics::SourceText& source_;
  Lexer lexer_;
  Token current_, second_;
  diagnostics::Position previous_end_{1, 1};
};

/// Reads a constant expression (PTX ISA 4.5.4): 64-bit signed and unsigned integers with the
/// operators of C, or one float literal with an optional minus sign.
Constant parse_constant(TokenStream& tokens);

/// An integer literal of 0 to `limit`: a size, a number, an alignment. Class "syntax" when there is
/// none, "out of range" when it is larger.
uint64_t parse_count(TokenStream& tokens, uint64_t limit, std::string_view what);

}  // namespace warplock::ptx
