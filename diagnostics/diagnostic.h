#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// How bad input is reported. Everything that reads something written by somebody else (PTX, CUDA
/// C, JSON, traces) throws `InputError`, whose diagnostics carry a place; the command line prints
/// them as `file:line:column: error: ...` with the line and a caret, and exits with status 3.
namespace warplock::diagnostics {

/// A place in a text. Lines and columns count from 1, columns in bytes; 0 means "unknown".
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// A text with the name that diagnostics print for it (usually its path).
class SourceText {
 public:
  SourceText(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  /// The line's text without its end; empty when there is no such line.
  std::string_view line(uint32_t number) const;
  /// The place of a byte offset; offsets past the end give the end of the text.
  Position position(size_t offset) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<size_t> line_starts_;
};

/// Reads a whole file. Throws `InputError` (class "file") when it cannot be read or is larger than
/// `max_bytes`.
std::shared_ptr<const SourceText> read_source(const std::string& path,
                                              size_t max_bytes = size_t{64} << 20);

enum class Severity { kError, kWarning, kNote };

/// One message with its place. `klass` is a short, stable name of the kind of error ("syntax",
/// "undefined symbol", "data race", ...), which tests and machine-readable reports rely on.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string klass;
  std::string message;
  std::string file;
  Position position;
  /// The text of the line, for the caret; may be empty.
  std::string line_text;
};

/// Makes an error whose line text is taken from `source`.
Diagnostic error_at(const SourceText& source, Position position, std::string klass,
                    std::string message);

/// `file:line:column: error: message [class]`, the line and a caret; long lines are shortened
/// around the caret and control characters are replaced, so that the output is always printable.
std::string render(const Diagnostic& diagnostic);
std::string render(const std::vector<Diagnostic>& diagnostics);

/// Bad input of any kind. Never empty.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic diagnostic);
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace warplock::diagnostics
