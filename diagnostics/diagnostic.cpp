#include "diagnostics/diagnostic.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace warplock::diagnostics {
namespace {

constexpr size_t kMaxShownColumns = 120;

/// Control characters and bytes that are not ASCII would move the caret or break a terminal.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) out += (c >= 0x20 && c < 0x7f) ? c : (c == '\t' ? ' ' : '?');
  return out;
}

struct Caret {
  std::string line;
  size_t column;  // from 0
};

/// The part of a long line around the caret.
Caret shorten(std::string_view text, size_t column) {
  column = std::min(column, text.size());
  if (text.size() <= kMaxShownColumns) return {printable(text), column};
  size_t begin = column > kMaxShownColumns / 2 ? column - kMaxShownColumns / 2 : 0;
  size_t count = std::min(kMaxShownColumns, text.size() - begin);
  std::string line = printable(text.substr(begin, count));
  size_t shown = column - begin;
  if (begin > 0) {
    line = "..." + line;
    shown += 3;
  }
  if (begin + count < text.size()) line += "...";
  return {line, shown};
}

const char* word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

std::string first_line(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) throw std::logic_error("an InputError needs at least one diagnostic");
  return render(diagnostics.front());
}

}  // namespace

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::string_view SourceText::line(uint32_t number) const {
  if (number == 0 || number > line_starts_.size()) return {};
  size_t begin = line_starts_[number - 1];
  size_t end = text_.find('\n', begin);
  if (end == std::string::npos) end = text_.size();
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Position SourceText::position(size_t offset) const {
  offset = std::min(offset, text_.size());
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  size_t index = static_cast<size_t>(after - line_starts_.begin()) - 1;
  return {static_cast<uint32_t>(index + 1),
          static_cast<uint32_t>(offset - line_starts_[index] + 1)};
}

std::shared_ptr<const SourceText> read_source(const std::string& path, size_t max_bytes) {
  auto fail = [&](const std::string& why) {
    return InputError(Diagnostic{Severity::kError, "file", why, path, {1, 1}, {}});
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("is a directory");
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  char buffer[65536];
  size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, got);
    if (text.size() > max_bytes) {
      std::fclose(file);
      throw fail(fmt::format("is larger than the limit of {} bytes", max_bytes));
    }
  }
  bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) throw fail("cannot be read");
  return std::make_shared<const SourceText>(path, std::move(text));
}

Diagnostic error_at(const SourceText& source, Position position, std::string klass,
                    std::string message) {
  Diagnostic d;
  d.klass = std::move(klass);
  d.message = std::move(message);
  d.file = source.name();
  d.position = position;
  d.line_text = std::string(source.line(position.line));
  return d;
}

std::string render(const Diagnostic& d) {
  std::string out = d.file.empty() ? "<input>" : d.file;
  if (d.position.line)
    out += fmt::format(":{}:{}", d.position.line, std::max(1u, d.position.column));
  out += fmt::format(": {}: {}", word(d.severity), printable(d.message));
  if (!d.klass.empty()) out += fmt::format(" [{}]", d.klass);
  out += '\n';
  if (!d.line_text.empty() && d.position.column) {
    Caret caret = shorten(d.line_text, d.position.column - 1);
    out += fmt::format("  {}\n  {}^\n", caret.line, std::string(caret.column, ' '));
  }
  return out;
}

std::string render(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += render(d);
  return out;
}

InputError::InputError(Diagnostic diagnostic)
    : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(first_line(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace warplock::diagnostics
