#include "trace/matching.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "trace/spelling.h"

namespace warplock::trace {
namespace {

/// Addresses of fewer bytes than this are not looked for: such values are parts of numbers.
constexpr uint32_t kLeastAddressBytes = 4;

}  // namespace

bool in_reach(const Object& object, uint64_t value, uint32_t width) {
  uint64_t from_start = (value - object.base + object.reach) & mask_of(width);
  uint64_t extent = object.size + 2 * object.reach;
  bool overflow = object.reach > (~uint64_t{0} - object.size) / 2;
  // A base that the width cannot hold is never the base of such a value.
  return (object.base & ~mask_of(width)) == 0 && (overflow || from_start < extent);
}

Matching::Matching(const Trace& left, const Trace& right) {
  // The n-th object of a name in a space is the other trace's n-th.
  std::map<std::tuple<Space, std::string, uint32_t>, uint32_t> objects;
  std::unordered_map<std::string, uint32_t> registers;
  std::unordered_map<uint32_t, uint32_t> by_ptx;
  for (bool is_left : {true, false}) {
    const Trace* trace = is_left ? &left : &right;
    Numbers& numbers = is_left ? left_ : right_;
    std::map<std::pair<Space, std::string>, uint32_t> seen;
    for (const Object& object : trace->objects) {
      uint32_t nth = seen[{object.space, object.name}]++;
      auto added = objects.emplace(std::tuple(object.space, object.name, nth),
                                   static_cast<uint32_t>(objects_.size()));
      if (added.second) objects_.emplace_back();
      uint32_t number = added.first->second;
      (is_left ? objects_[number].left : objects_[number].right) = &object;
      numbers.objects.push_back(number);
    }
    for (const std::string& name : trace->register_names) {
      auto added = registers.emplace(name, static_cast<uint32_t>(registers_.size()));
      if (added.second) registers_.push_back(name);
      numbers.registers.push_back(added.first->second);
    }
    for (const Instruction& instruction : trace->instructions) {
      uint32_t number = instruction_count_;
      if (instruction.ptx_index != kNoPtxIndex) {
        number = by_ptx.emplace(instruction.ptx_index, number).first->second;
      }
      if (number == instruction_count_) ++instruction_count_;
      numbers.instructions.push_back(number);
    }
  }
  find_elided(left, right);
}

void Matching::find_elided(const Trace& left, const Trace& right) {
  std::vector<bool> elided(instruction_count_, false);
  for (bool is_left : {true, false}) {
    const Trace& trace = is_left ? left : right;
    const Numbers& numbers = is_left ? left_ : right_;
    for (size_t i = 0; i < trace.instructions.size(); ++i) {
      if (!trace.instructions[i].elided) continue;
      elided[numbers.instructions[i]] = true;
      any_elided_ = true;
    }
  }
  for (Numbers* numbers : {&left_, &right_}) {
    for (uint32_t number : numbers->instructions) numbers->elided.push_back(elided[number]);
  }
}

bool Matching::same_value(uint64_t left, uint32_t left_width, uint64_t right,
                          uint32_t right_width) const {
  const uint32_t width = std::min(left_width, right_width);
  left &= mask_of(left_width);
  right &= mask_of(right_width);
  if (((left ^ right) & mask_of(width)) == 0) return true;
  if (width < kLeastAddressBytes) return false;
  return std::any_of(objects_.begin(), objects_.end(), [&](const ObjectPair& pair) {
    if (!pair.left || !pair.right) return false;
    uint64_t difference = (left - pair.left->base) - (right - pair.right->base);
    return (difference & mask_of(width)) == 0 &&
           (in_reach(*pair.left, left, left_width) || in_reach(*pair.right, right, right_width));
  });
}

}  // namespace warplock::trace
