#pragma once

#include <vector>

#include "circuit/weights/tensors.h"
#include "model_exec/arithmetic.h"

/// One Qwen3.5 layer, computed on every weight that is not zero, in the order of the equations: the
/// engine that the faster ones are compared with.
namespace warplock::model_exec {

class PlainLayer {
 public:
  /// `layer` must outlive this.
  PlainLayer(const weights::LayerTensors& layer, const weights::ModelShape& shape);

  /// Forgets state and convolution history.
  void reset();
  /// One token: adds mixer and MLP to the residual.
  void apply(std::vector<float>& residual, Arithmetic& arithmetic);

 private:
  void mixer(std::vector<float>& residual, Arithmetic& arithmetic);
  void convolve(std::vector<float>& qkv, const Arithmetic& arithmetic);
  void head(uint32_t index, const std::vector<float>& qkv, const std::vector<float>& z, float beta,
            float a, Arithmetic& arithmetic, float* output);
  void mlp(std::vector<float>& residual, Arithmetic& arithmetic);

  const weights::LayerTensors& layer_;
  const weights::ModelShape& shape_;
  std::vector<bool> head_used_;
  bool any_head_ = false, any_unit_ = false, has_history_ = false;
  std::vector<float> taps_;               ///< [row][tap]
  std::vector<std::vector<float>> past_;  ///< qkv of earlier tokens, the latest first
  std::vector<float> state_;              ///< [head][key][value]
  std::vector<uint8_t> row_written_;      ///< [head][key]: the row may be other than zero
};

}  // namespace warplock::model_exec
