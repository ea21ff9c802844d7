#include "trace/json_line.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplock::trace {
namespace {

constexpr size_t kMaxDepth = 4;
/// Objects with more keys than the stored form knows are refused anyway.
constexpr size_t kMaxKeys = 64;

/// nlohmann's text without its own prefix and place.
std::string plain_message(std::string text) {
  if (size_t at = text.find(", column "); at != std::string::npos) {
    if (size_t colon = text.find(": ", at); colon != std::string::npos) text.erase(0, colon + 2);
  } else if (size_t bracket = text.find("] "); bracket != std::string::npos) {
    text.erase(0, bracket + 2);
  }
  constexpr size_t kMaxMessage = 200;
  if (text.size() > kMaxMessage) text = text.substr(0, kMaxMessage) + "...";
  return text;
}

}  // namespace

/// Receives nlohmann's events. They have no places, but they come in the order of the text, and all
/// that is before the current one is well formed: a cursor finds the token of each.
struct JsonLineBuilder {
  using Kind = JsonLine::Kind;

  JsonLine& line;
  size_t cursor = 0;
  std::vector<uint32_t> open_nodes{};

  uint32_t find_token() {
    cursor = std::min(line.line_.find_first_not_of(" \t\r,:", cursor), line.line_.size());
    return static_cast<uint32_t>(cursor);
  }
  void skip_word() {
    cursor = std::min(line.line_.find_first_of(" \t\r,:]}", cursor), line.line_.size());
  }
  JsonLine::Node& push(Kind kind) {
    JsonLine::Node node;
    node.kind = kind;
    node.column = find_token();
    line.nodes_.push_back(node);
    return line.nodes_.back();
  }

  bool other() {
    push(Kind::kOther);
    skip_word();
    return true;
  }
  bool null() { return other(); }
  bool boolean(bool) { return other(); }
  bool number_integer(int64_t) { return other(); }  // negative: nothing in a trace is
  bool number_float(double, const std::string&) { return other(); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // never in text
  bool number_unsigned(uint64_t value) {
    push(Kind::kNumber).number = value;
    skip_word();
    return true;
  }
  bool string(std::string& value) {
    push(Kind::kString).string = static_cast<uint32_t>(line.used_strings_);
    if (line.used_strings_ == line.strings_.size()) line.strings_.emplace_back();
    line.strings_[line.used_strings_++].swap(value);
    for (++cursor; cursor < line.line_.size() && line.line_[cursor] != '"'; ++cursor) {
      if (line.line_[cursor] == '\\') ++cursor;
    }
    ++cursor;
    return true;
  }
  bool key(std::string& name) {
    string(name);
    const JsonLine::Node& added = line.nodes_.back();
    size_t count = 0;
    uint32_t object = open_nodes.back();
    for (size_t i = object + 1; i + 1 < line.nodes_.size(); i = line.after(i + 1)) {
      if (line.text_of(line.nodes_[i]) == line.text_of(added)) {
        line.fail(added, fmt::format("key \"{}\" is given twice", line.text_of(added)));
      }
      if (++count > kMaxKeys) line.fail(added, "too many keys");
    }
    return true;
  }
  bool open(Kind kind) {
    push(kind);
    if (open_nodes.size() >= kMaxDepth) line.fail(line.nodes_.back(), "nested too deeply");
    open_nodes.push_back(static_cast<uint32_t>(line.nodes_.size() - 1));
    ++cursor;
    return true;
  }
  bool close() {
    find_token();
    ++cursor;
    line.nodes_[open_nodes.back()].end = static_cast<uint32_t>(line.nodes_.size());
    open_nodes.pop_back();
    return true;
  }
  bool start_object(size_t) { return open(Kind::kObject); }
  bool start_array(size_t) { return open(Kind::kArray); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(size_t byte, const std::string&, const nlohmann::json::exception& error) {
    line.fail(static_cast<uint32_t>(byte > 0 ? byte - 1 : 0), plain_message(error.what()));
  }
};

void JsonLine::parse(std::string_view line, uint32_t number) {
  line_ = line;
  line_number_ = number;
  nodes_.clear();
  used_strings_ = 0;
  size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  if (begin == line.size() || line[begin] != '{') {
    fail(static_cast<uint32_t>(begin), "expected an object");
  }
  JsonLineBuilder builder{*this};
  nlohmann::json::sax_parse(line.begin(), line.end(), &builder);
}

size_t JsonLine::after(size_t index) const {
  const Node& node = nodes_[index];
  bool container = node.kind == Kind::kArray || node.kind == Kind::kObject;
  return container ? node.end : index + 1;
}

uint64_t JsonLine::number(const Node& node, uint64_t max, std::string_view what) const {
  if (node.kind != Kind::kNumber || node.number > max) {
    fail(node, fmt::format("{} must be a whole number from 0 to {}", what, max));
  }
  return node.number;
}

const std::string& JsonLine::string(const Node& node, std::string_view what) const {
  if (node.kind != Kind::kString) fail(node, fmt::format("{} must be a string", what));
  return text_of(node);
}

void JsonLine::fail(uint32_t column, std::string message) const {
  throw diagnostics::InputError(
      diagnostics::error_at(source_, {line_number_, column + 1}, "trace", std::move(message)));
}

}  // namespace warplock::trace
