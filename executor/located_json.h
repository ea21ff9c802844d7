#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnostics/diagnostic.h"

/// JSON that people write by hand, read so that every complaint about a value names its line and
/// column. nlohmann/json parses; this keeps the place of each value, refuses a key given twice, and
/// bounds the nesting.
namespace warplock::executor {

class JsonValue;

/// A parsed text. Values refer to it and must not outlive it.
class JsonDocument {
 public:
  /// Throws `InputError` (class "syntax") for what is not JSON, not UTF-8, nested deeper than
  /// `kMaxDepth` or has a key twice. Complaints about values get the class `klass`.
  JsonDocument(std::shared_ptr<const diagnostics::SourceText> source, std::string klass);

  static constexpr size_t kMaxDepth = 64;

  JsonValue root() const;

 private:
  friend class JsonValue;
  friend struct JsonBuilder;

  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kUnsigned,
    kNegative,
    kFloat,
    kString,
    kArray,
    kObject
  };
  /// Values in order of appearance; the children of a container follow it, keys before their
  /// values.
  struct Node {
    /// A number's bits; a string's index into `strings_`; the index past a container's last child.
    uint64_t value;
    uint32_t offset;  ///< place in the text
    Kind kind;
  };

  std::shared_ptr<const diagnostics::SourceText> source_;
  std::string klass_;
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;
};

/// One value of a document. Readers throw `InputError` with the place of the value; `what` is what
/// the message calls it ("\"grid\"").
class JsonValue {
 public:
  bool is_string() const { return kind() == JsonDocument::Kind::kString; }
  bool is_array() const { return kind() == JsonDocument::Kind::kArray; }
  bool is_object() const { return kind() == JsonDocument::Kind::kObject; }

  /// A number without fraction or exponent between `low` and `high`; a negative one is given in
  /// two's complement.
  uint64_t integer(int64_t low, uint64_t high, std::string_view what) const;
  /// Any number.
  double number(std::string_view what) const;
  bool boolean(std::string_view what) const;
  const std::string& string(std::string_view what) const;
  std::vector<JsonValue> elements(std::string_view what) const;
  /// An array of 32-bit words: 0 to 2^32-1, or -2^31 to -1 in two's complement.
  std::vector<uint32_t> words(size_t max_words, std::string_view what) const;
  /// Key and value, in order of appearance; the first of a pair is the key's own place.
  std::vector<std::pair<JsonValue, JsonValue>> members(std::string_view what) const;
  /// The members, when every key is one of `known`; else the error suggests the nearest known key.
  std::vector<std::pair<JsonValue, JsonValue>> members(
      std::string_view what, std::initializer_list<std::string_view> known) const;

  diagnostics::Position position() const;
  diagnostics::InputError error(std::string message) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, size_t index) : document_(document), index_(index) {}

  const JsonDocument::Node& node() const { return document_->nodes_[index_]; }
  JsonDocument::Kind kind() const { return node().kind; }
  std::string kind_name() const;
  size_t next(size_t index) const;

  const JsonDocument* document_;
  size_t index_;
};

}  // namespace warplock::executor
