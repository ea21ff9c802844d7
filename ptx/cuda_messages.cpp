#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "ptx/cuda_builtins_text.h"
#include "ptx/cuda_compilers.h"

namespace warplock::ptx {
namespace {

using diagnostics::Diagnostic;
using diagnostics::InputError;
using diagnostics::Position;
using diagnostics::Severity;
using diagnostics::SourceText;

/// The source texts that messages point into: the kernel's file, what it includes, our own header.
class Sources {
 public:
  Sources(const SourceText& main, std::string builtins_path)
      : main_(main),
        builtins_path_(std::move(builtins_path)),
        builtins_("cuda_builtins.h", cuda_builtins_text()) {}

  /// Fills file name and line text of a message about `path`.
  void place(Diagnostic& message, const std::string& path) {
    const SourceText* text = find(path);
    message.file = text != nullptr ? text->name() : path;
    if (text != nullptr) message.line_text = std::string(text->line(message.position.line));
  }

 private:
  const SourceText* find(const std::string& path) {
    if (path == main_.name() || path == "./" + main_.name()) return &main_;
    if (path == builtins_path_) return &builtins_;
    auto known = included_.find(path);
    if (known == included_.end()) {
      std::shared_ptr<const SourceText> text;
      try {
        text = diagnostics::read_source(path);
      } catch (const InputError&) {
        // A scratch buffer of the compiler, or a file that has gone: the message keeps its name.
      }
      known = included_.emplace(path, std::move(text)).first;
    }
    return known->second.get();
  }

  const SourceText& main_;
  std::string builtins_path_;
  SourceText builtins_;
  std::map<std::string, std::shared_ptr<const SourceText>> included_;
};

/// Takes a decimal number off the end of `text`; nothing when it does not end in one.
std::optional<uint32_t> take_number(std::string_view& text) {
  size_t begin = text.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  if (begin == text.size() || text.size() - begin > 9) return std::nullopt;
  const uint32_t number = static_cast<uint32_t>(std::stoul(std::string(text.substr(begin))));
  text.remove_suffix(text.size() - begin);
  return number;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) {
    return false;
  }
  text.remove_suffix(suffix.size());
  return true;
}

struct Marker {
  std::string_view text;
  Severity severity;
};
constexpr Marker kMarkers[] = {{": fatal error: ", Severity::kError},
                               {": error: ", Severity::kError},
                               {": note: ", Severity::kNote}};

/// `path:line:column: error: message`, or nothing.
std::optional<Diagnostic> parse_placed(const std::string& line, Sources& sources) {
  for (const Marker& marker : kMarkers) {
    const size_t at = line.find(marker.text);
    if (at == std::string::npos) continue;
    std::string_view place = std::string_view(line).substr(0, at);
    const auto column = take_number(place);
    if (!column || !take_suffix(place, ":")) continue;
    const auto number = take_number(place);
    if (!number || !take_suffix(place, ":")) continue;
    Diagnostic message;
    message.severity = marker.severity;
    message.klass = "CUDA";
    message.message = line.substr(at + marker.text.size());
    message.position = {*number, *column};
    sources.place(message, std::string(place));
    return message;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> parse_clang_messages(const std::string& output, const SourceText& source,
                                             const std::string& builtins_path) {
  Sources sources(source, builtins_path);
  std::vector<Diagnostic> messages;
  bool has_error = false;
  std::istringstream in(output);
  std::string line;
  while (std::getline(in, line)) {
    std::optional<Diagnostic> message = parse_placed(line, sources);
    if (!message) {
      // Errors of the whole compilation, from LLVM's back end for example, have no place.
      for (std::string_view start : {"fatal error: ", "error: "}) {
        if (line.compare(0, start.size(), start) != 0) continue;
        const std::string text = line.substr(start.size());
        if (text.find("too many errors emitted") != std::string::npos) break;
        message = Diagnostic{Severity::kError, "CUDA", text, source.name(), Position{}, ""};
        break;
      }
    }
    if (!message) continue;
    has_error |= message->severity == Severity::kError;
    if (has_error) messages.push_back(std::move(*message));
  }
  return messages;
}

std::vector<Diagnostic> parse_nvrtc_messages(const std::string& log, const SourceText& source) {
  Sources sources(source, "");
  std::vector<Diagnostic> messages;
  std::vector<std::string> lines;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) lines.push_back(line);

  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const size_t plain = line.find("): error: ");
    const size_t fatal = line.find("): catastrophic error: ");
    const size_t at = std::min(plain, fatal);
    if (at == std::string::npos) {
      // For example "nvrtc: error: invalid value for --gpu-architecture".
      if (line.find("error: ") == 0 || line.find("nvrtc: error: ") == 0) {
        messages.push_back({Severity::kError, "CUDA", line.substr(line.find("error: ") + 7),
                            source.name(), Position{}, ""});
      }
      continue;
    }
    std::string_view place = std::string_view(line).substr(0, at);
    const auto number = take_number(place);
    if (!number || !take_suffix(place, "(")) continue;
    Diagnostic message;
    message.klass = "CUDA";
    message.message = line.substr(line.find("error: ", at) + 7);
    message.position = {*number, 0};
    sources.place(message, std::string(place));
    // NVRTC gives no column, but prints the line, indented anew, and a caret below.
    if (i + 2 < lines.size()) {
      const size_t caret = lines[i + 2].find('^');
      const size_t printed = lines[i + 1].find_first_not_of(" \t");
      const size_t indent = message.line_text.find_first_not_of(" \t");
      if (caret != std::string::npos && printed <= caret && indent != std::string::npos) {
        message.position.column = static_cast<uint32_t>(caret - printed + indent + 1);
      }
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace warplock::ptx
