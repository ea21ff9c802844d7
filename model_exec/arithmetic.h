#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// The scalar arithmetic of Qwen3.5's layers: what is rounded where, and how.
namespace warplock::model_exec {

/// The type of activations and residual.
enum class Precision : uint8_t { kBfloat16, kFloat32 };

struct ArithmeticOptions {
  Precision precision = Precision::kBfloat16;
  /// rsqrt is off by a random number of units in the last place, up to this one.
  uint32_t rsqrt_ulps = 0;
  uint64_t seed = 1;
};

inline float nearest_bfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) >= 0x7f800000) return value;
  bits += 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(bits & 0xffff0000);
}

class Arithmetic {
 public:
  explicit Arithmetic(const ArithmeticOptions& options)
      : bfloat16_(options.precision == Precision::kBfloat16),
        ulps_(options.rsqrt_ulps),
        random_(options.seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d) {}

  /// To the activations' type.
  float round(float value) const { return bfloat16_ ? nearest_bfloat16(value) : value; }

  float rsqrt(float value) {
    float result = static_cast<float>(1.0 / std::sqrt(static_cast<double>(value)));
    if (ulps_ == 0) return result;
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    uint32_t offset = static_cast<uint32_t>(random_ % (2 * ulps_ + 1)) - ulps_;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(result) + offset);
  }

 private:
  bool bfloat16_;
  uint32_t ulps_;
  uint64_t random_;
};

inline float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}
/// x / (1 + exp(-x)), without the exponential where float32 does not see it: exp(-20) vanishes
/// beside 1, exp(89) is infinite.
inline float silu(float x) {
  if (x >= 20) return x;
  if (x <= -89) return -0.0f;
  return x / (1.0f + std::exp(-x));
}
inline float softplus(float x) {
  return x > 20 ? x : std::log1p(std::exp(x));
}

}  // namespace warplock::model_exec
