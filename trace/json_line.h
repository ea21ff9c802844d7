#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

/// One line of JSON with the place of everything in it. Made for millions of short lines: the same
/// object is filled again and again, and keeps its memory.
namespace warplock::trace {

class JsonLine {
 public:
  enum class Kind : uint8_t { kOther, kNumber, kString, kArray, kObject };

  /// A value, or a key (then a string whose value is the next node). The children of a container
  /// follow it in the order of the text.
  struct Node {
    Kind kind = Kind::kOther;
    uint64_t number = 0;  ///< kNumber: a whole number from 0 to 2^64 - 1
    uint32_t string = 0;  ///< kString: for `text_of`
    uint32_t end = 0;     ///< containers: index past the last child
    uint32_t column = 0;  ///< from 0, in bytes
  };

  explicit JsonLine(const diagnostics::SourceText& source) : source_(source) {}

  /// Parses line `number`, which starts at byte `offset` of the source. Throws `InputError` (class
  /// "trace") for anything but one JSON object, a key given twice, or nesting deeper than 4.
  void parse(std::string_view line, uint32_t number);

  const Node& root() const { return nodes_.front(); }
  const Node& node(size_t index) const { return nodes_[index]; }
  const std::string& text_of(const Node& node) const { return strings_[node.string]; }
  /// The index after the value at `index` and all that it holds.
  size_t after(size_t index) const;

  uint64_t number(const Node& node, uint64_t max, std::string_view what) const;
  const std::string& string(const Node& node, std::string_view what) const;

  [[noreturn]] void fail(uint32_t column, std::string message) const;
  [[noreturn]] void fail(const Node& node, std::string message) const {
    fail(node.column, std::move(message));
  }

 private:
  friend struct JsonLineBuilder;

  const diagnostics::SourceText& source_;
  std::string_view line_;
  uint32_t line_number_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;
  size_t used_strings_ = 0;
};

}  // namespace warplock::trace
