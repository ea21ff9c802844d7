#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "model_exec/arithmetic.h"

namespace warplock::model_exec {

/// The residual stream of one token, with the set of its entries that are not zero.
class Residual {
 public:
  explicit Residual(size_t size) : values_(size), set_((size + 63) / 64) {}

  const std::vector<float>& values() const { return values_; }
  float operator[](size_t dim) const { return values_[dim]; }
  void set(size_t dim, float value) {
    values_[dim] = value;
    uint64_t bit = uint64_t{1} << (dim % 64);
    set_[dim / 64] = value != 0 ? set_[dim / 64] | bit : set_[dim / 64] & ~bit;
  }
  void assign(const std::vector<float>& values) {
    for (size_t dim = 0; dim < values.size(); ++dim) set(dim, values[dim]);
  }
  void clear() {
    for_each([this](size_t dim) { values_[dim] = 0; });
    std::fill(set_.begin(), set_.end(), 0);
  }
  /// Dimensions that are not zero, in ascending order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (size_t word = 0; word < set_.size(); ++word) {
      for (uint64_t bits = set_[word]; bits != 0; bits &= bits - 1) {
        visit(64 * word + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::vector<float> values_;
  std::vector<uint64_t> set_;
};

/// Sums for a few dimensions of the residual.
class Accumulator {
 public:
  explicit Accumulator(size_t size) : sums_(size), used_(size) {}

  void add(uint32_t dim, float value) {
    if (!used_[dim]) {
      used_[dim] = 1;
      touched_.push_back(dim);
    }
    sums_[dim] += value;
  }
  void drop() {
    for (uint32_t dim : touched_) sums_[dim] = 0, used_[dim] = 0;
    touched_.clear();
  }
  /// Adds everything to the residual, rounded as a layer's output is.
  void pour(Residual& residual, const Arithmetic& arithmetic) {
    for (uint32_t dim : touched_) {
      float change = arithmetic.round(sums_[dim]);
      if (change != 0) residual.set(dim, arithmetic.round(residual[dim] + change));
    }
    drop();
  }

 private:
  std::vector<float> sums_;
  std::vector<uint8_t> used_;
  std::vector<uint32_t> touched_;
};

/// What fast layers take for granted about a token's residual, and check: two anchors of 2^24 in
/// front, so that the norm is an exact multiplication whatever the rest is, as long as that is
/// small.
constexpr float kAnchorValue = 16777216.0f;
constexpr float kLargestInput = 256;

/// The norm's factor under these conditions; 0 when it is not a power of two.
inline float anchored_scale(double eps, size_t size) {
  float sum = 2 * kAnchorValue * kAnchorValue;
  float mean = sum / static_cast<float>(size) + static_cast<float>(eps);
  float scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(mean)));
  int exponent = 0;
  return std::frexp(scale, &exponent) == 0.5f ? scale : 0;
}

}  // namespace warplock::model_exec
