#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Bytes between us and our own worker on the same machine: numbers in its byte order, everything
/// of variable size with its length before it.
namespace warplock::executor {

/// The other side sent what it cannot have meant.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class WireWriter {
 public:
  template <typename T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(uint64_t{value.size()});
    bytes_.append(value);
  }
  /// Plain data without padding, as it lies in memory.
  template <typename T>
  void array(const std::vector<T>& values) {
    static_assert(std::has_unique_object_representations_v<T>);
    number(uint64_t{values.size()});
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool boolean() { return enumerator<uint8_t>(1) != 0; }
  /// An enumerator up to `last`.
  template <typename E>
  E enumerator(E last) {
    auto value = number<uint8_t>();
    if (value > static_cast<uint8_t>(last)) throw WireError("an enumerator is out of range");
    return static_cast<E>(value);
  }
  std::string text() { return std::string(take(number<uint64_t>())); }
  template <typename T>
  std::vector<T> array() {
    static_assert(std::is_trivially_copyable_v<T>);
    uint64_t count = number<uint64_t>();
    if (count > bytes_.size() / sizeof(T)) throw WireError("an array is longer than its message");
    std::vector<T> values(count);
    std::string_view taken = take(count * sizeof(T));
    if (count != 0) std::memcpy(values.data(), taken.data(), taken.size());
    return values;
  }
  /// How many elements follow, each of which takes at least one byte.
  size_t count() {
    uint64_t value = number<uint64_t>();
    if (value > bytes_.size()) throw WireError("a list is longer than its message");
    return value;
  }
  void expect_end() const {
    if (!bytes_.empty()) throw WireError("a message is longer than its content");
  }

 private:
  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) throw WireError("a message is shorter than its content");
    std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace warplock::executor
