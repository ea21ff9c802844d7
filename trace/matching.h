#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/event.h"

namespace warplock::trace {

/// Whether a value of `width` bytes can only be a pointer derived from the object
/// (`Object::reach`).
bool in_reach(const Object& object, uint64_t value, uint32_t width);

/// The tables of two traces under common numbers, and when two of their values are equal.
class Matching {
 public:
  /// An object of both traces; null on the side that does not have it.
  struct ObjectPair {
    const Object* left = nullptr;
    const Object* right = nullptr;
    const Object& any() const { return left ? *left : *right; }
  };
  /// Own index -> common number.
  struct Numbers {
    std::vector<uint32_t> objects, instructions, registers;
    std::vector<bool> elided;  ///< by own instruction: elided in either trace
  };

  Matching(const Trace& left, const Trace& right);

  const Numbers& left() const { return left_; }
  const Numbers& right() const { return right_; }
  const std::vector<ObjectPair>& objects() const { return objects_; }
  /// Names of registers: of both traces.
  const std::vector<std::string>& registers() const { return registers_; }
  uint32_t instruction_count() const { return instruction_count_; }
  bool any_elided() const { return any_elided_; }

  /// Equal as numbers, or as addresses: in the reach of an object of its own trace, and the other
  /// at the same place of the same object. At two widths the low bytes that both have count.
  bool same_value(uint64_t left, uint32_t left_width, uint64_t right, uint32_t right_width) const;

 private:
  void find_elided(const Trace& left, const Trace& right);

  Numbers left_, right_;
  std::vector<ObjectPair> objects_;
  std::vector<std::string> registers_;
  uint32_t instruction_count_ = 0;
  bool any_elided_ = false;
};

}  // namespace warplock::trace
