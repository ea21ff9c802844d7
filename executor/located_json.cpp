#include "executor/located_json.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warplock::executor {

using diagnostics::error_at;
using diagnostics::InputError;

namespace {

constexpr size_t kMaxMessage = 300;

/// nlohmann's text without its own prefix; the place is ours.
std::string plain_message(const std::string& text) {
  size_t begin = 0;
  if (size_t column = text.find(", column "); column != std::string::npos) {
    begin = text.find(": ", column);
    begin = begin == std::string::npos ? 0 : begin + 2;
  } else if (size_t bracket = text.find("] "); bracket != std::string::npos) {
    begin = bracket + 2;
  }
  std::string message = text.substr(begin);
  if (message.size() > kMaxMessage) message = message.substr(0, kMaxMessage) + "...";
  return message;
}

/// The number of insertions, deletions and substitutions between two short words.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, std::initializer_list<std::string_view> known) {
  constexpr size_t kFar = 3;
  size_t best = kFar;
  std::string_view nearest;
  if (word.size() > 40) return {};
  for (std::string_view candidate : known) {
    size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", nearest);
}

}  // namespace

/// Receives nlohmann's events. The library gives no places, but its events come in the order of the
/// text, and everything before the current event is known to be well formed: a cursor that follows
/// finds the token that belongs to each event.
struct JsonBuilder {
  using Kind = JsonDocument::Kind;

  struct Frame {
    size_t node;
    std::unordered_set<std::string> keys;
  };

  explicit JsonBuilder(JsonDocument& d) : document(d), text(d.source_->text()) {
    if (text.substr(0, 3) == "\xef\xbb\xbf") cursor = 3;
  }

  bool null() { return add(Kind::kNull, 0); }
  bool boolean(bool value) { return add(Kind::kBoolean, value); }
  bool number_unsigned(uint64_t value) { return add(Kind::kUnsigned, value); }
  bool number_integer(int64_t value) {
    return add(value < 0 ? Kind::kNegative : Kind::kUnsigned, static_cast<uint64_t>(value));
  }
  bool number_float(double value, const std::string&) {
    return add(Kind::kFloat, std::bit_cast<uint64_t>(value));
  }
  bool string(std::string& value) {
    document.strings_.push_back(std::move(value));
    return add(Kind::kString, document.strings_.size() - 1);
  }
  bool binary(nlohmann::json::binary_t&) { return false; }  // never in text
  bool key(std::string& name) {
    bool is_new = stack.back().keys.insert(name).second;
    document.strings_.push_back(std::move(name));
    add(Kind::kString, document.strings_.size() - 1);
    if (!is_new) {
      fail(document.nodes_.back().offset,
           fmt::format("key \"{}\" is given twice", document.strings_.back()));
    }
    return true;
  }
  bool start_object(size_t) { return open(Kind::kObject); }
  bool start_array(size_t) { return open(Kind::kArray); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(size_t byte, const std::string&, const nlohmann::json::exception& error) {
    fail(byte > 0 ? byte - 1 : 0, plain_message(error.what()));
  }

  [[noreturn]] void fail(size_t offset, std::string message) const {
    throw InputError(error_at(*document.source_, document.source_->position(offset), "syntax",
                              std::move(message)));
  }

  /// Moves the cursor past the separators to the next token, and returns its place.
  uint32_t find_token() {
    cursor = std::min(text.find_first_not_of(" \t\r\n,:", cursor), text.size());
    return static_cast<uint32_t>(cursor);
  }

  bool add(Kind kind, uint64_t value) {
    uint32_t offset = find_token();
    document.nodes_.push_back({value, offset, kind});
    if (kind == Kind::kString) {
      for (++cursor; cursor < text.size() && text[cursor] != '"'; ++cursor) {
        if (text[cursor] == '\\') ++cursor;
      }
      ++cursor;
    } else {
      cursor = std::min(text.find_first_of(" \t\r\n,:]}", cursor), text.size());
    }
    return true;
  }

  bool open(Kind kind) {
    uint32_t offset = find_token();
    if (stack.size() >= JsonDocument::kMaxDepth) {
      fail(offset, fmt::format("nested deeper than the limit of {}", JsonDocument::kMaxDepth));
    }
    stack.push_back({document.nodes_.size(), {}});
    document.nodes_.push_back({0, offset, kind});
    ++cursor;
    return true;
  }

  bool close() {
    find_token();
    ++cursor;
    document.nodes_[stack.back().node].value = document.nodes_.size();
    stack.pop_back();
    return true;
  }

  JsonDocument& document;
  std::string_view text;
  size_t cursor = 0;
  std::vector<Frame> stack;
};

JsonDocument::JsonDocument(std::shared_ptr<const diagnostics::SourceText> source, std::string klass)
    : source_(std::move(source)), klass_(std::move(klass)) {
  std::string_view text = source_->text();
  if (text.size() >= std::numeric_limits<uint32_t>::max()) {
    throw InputError(error_at(*source_, {1, 1}, klass_, "the text is larger than 4 GB"));
  }
  JsonBuilder builder(*this);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
}

JsonValue JsonDocument::root() const {
  return JsonValue(this, 0);
}

size_t JsonValue::next(size_t index) const {
  const JsonDocument::Node& at = document_->nodes_[index];
  bool container = at.kind == JsonDocument::Kind::kArray || at.kind == JsonDocument::Kind::kObject;
  return container ? at.value : index + 1;
}

std::string JsonValue::kind_name() const {
  switch (kind()) {
    case JsonDocument::Kind::kNull:
      return "null";
    case JsonDocument::Kind::kBoolean:
      return node().value ? "true" : "false";
    case JsonDocument::Kind::kUnsigned:
      return fmt::format("{}", node().value);
    case JsonDocument::Kind::kNegative:
      return fmt::format("{}", static_cast<int64_t>(node().value));
    case JsonDocument::Kind::kFloat:
      return fmt::format("{}", std::bit_cast<double>(node().value));
    case JsonDocument::Kind::kString:
      return "a string";
    case JsonDocument::Kind::kArray:
      return "an array";
    case JsonDocument::Kind::kObject:
      return "an object";
  }
  return "nothing";
}

diagnostics::Position JsonValue::position() const {
  return document_->source_->position(node().offset);
}

InputError JsonValue::error(std::string message) const {
  return InputError(
      error_at(*document_->source_, position(), document_->klass_, std::move(message)));
}

uint64_t JsonValue::integer(int64_t low, uint64_t high, std::string_view what) const {
  bool fits = false;
  if (kind() == JsonDocument::Kind::kUnsigned) {
    fits = node().value <= high && (low <= 0 || node().value >= static_cast<uint64_t>(low));
  } else if (kind() == JsonDocument::Kind::kNegative) {
    fits = static_cast<int64_t>(node().value) >= low;
  }
  if (!fits) {
    throw error(
        fmt::format("{} must be an integer from {} to {}, not {}", what, low, high, kind_name()));
  }
  return node().value;
}

double JsonValue::number(std::string_view what) const {
  switch (kind()) {
    case JsonDocument::Kind::kUnsigned:
      return static_cast<double>(node().value);
    case JsonDocument::Kind::kNegative:
      return static_cast<double>(static_cast<int64_t>(node().value));
    case JsonDocument::Kind::kFloat:
      return std::bit_cast<double>(node().value);
    default:
      throw error(fmt::format("{} must be a number, not {}", what, kind_name()));
  }
}

bool JsonValue::boolean(std::string_view what) const {
  if (kind() != JsonDocument::Kind::kBoolean) {
    throw error(fmt::format("{} must be true or false, not {}", what, kind_name()));
  }
  return node().value != 0;
}

const std::string& JsonValue::string(std::string_view what) const {
  if (!is_string()) throw error(fmt::format("{} must be a string, not {}", what, kind_name()));
  return document_->strings_[node().value];
}

std::vector<JsonValue> JsonValue::elements(std::string_view what) const {
  if (!is_array()) throw error(fmt::format("{} must be an array, not {}", what, kind_name()));
  std::vector<JsonValue> out;
  for (size_t i = index_ + 1; i < node().value; i = next(i)) out.push_back(JsonValue(document_, i));
  return out;
}

std::vector<uint32_t> JsonValue::words(size_t max_words, std::string_view what) const {
  if (!is_array()) throw error(fmt::format("{} must be an array, not {}", what, kind_name()));
  std::vector<uint32_t> out;
  for (size_t i = index_ + 1; i < node().value; i = next(i)) {
    JsonValue element(document_, i);
    if (out.size() >= max_words) {
      throw element.error(fmt::format("{} goes beyond the limit of {} words", what, max_words));
    }
    // The name of the place is only worth making when it is needed.
    if (element.kind() != JsonDocument::Kind::kUnsigned || element.node().value > 0xffffffffu) {
      element.integer(std::numeric_limits<int32_t>::min(), 0xffffffffu,
                      fmt::format("word {} of {}", out.size(), what));
    }
    out.push_back(static_cast<uint32_t>(element.node().value));
  }
  return out;
}

std::vector<std::pair<JsonValue, JsonValue>> JsonValue::members(std::string_view what) const {
  if (!is_object()) throw error(fmt::format("{} must be an object, not {}", what, kind_name()));
  std::vector<std::pair<JsonValue, JsonValue>> out;
  for (size_t i = index_ + 1; i < node().value; i = next(i + 1)) {
    out.emplace_back(JsonValue(document_, i), JsonValue(document_, i + 1));
  }
  return out;
}

std::vector<std::pair<JsonValue, JsonValue>> JsonValue::members(
    std::string_view what, std::initializer_list<std::string_view> known) const {
  auto out = members(what);
  for (const auto& member : out) {
    const std::string& name = member.first.string("a key");
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string shown = name.size() > 40 ? name.substr(0, 40) + "..." : name;
    throw member.first.error(
        fmt::format("{} has no key \"{}\"{}", what, shown, suggestion(name, known)));
  }
  return out;
}

}  // namespace warplock::executor
