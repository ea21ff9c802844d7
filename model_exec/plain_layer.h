#pragma once

#include <vector>

#include "circuit/weights/tensors.h"
#include "model_exec/arithmetic.h"

/// One Qwen3.5 layer, computed on every weight that is not zero, in the order of the equations: the
/// engine that the faster ones are compared with.
namespace warplock::model_exec {

/// The recurrent states of a layer's heads, [head][key][value], and which rows were ever written.
class HeadStates {
 public:
  explicit HeadStates(const weights::ModelShape& shape)
      : dim_(shape.head_dim),
        values_(size_t{shape.heads} * dim_ * dim_),
        written_(size_t{shape.heads} * dim_) {}

  float* head(uint32_t index) { return &values_[size_t{index} * dim_ * dim_]; }
  uint8_t* written(uint32_t index) { return &written_[size_t{index} * dim_]; }
  void reset();
  void decay(uint32_t index, float factor);

 private:
  uint32_t dim_;
  std::vector<float> values_;
  std::vector<uint8_t> written_;
};

/// A linear projection of which only the rows with weights are computed.
class Projection {
 public:
  /// `matrix` must outlive this.
  explicit Projection(const weights::SparseMatrix& matrix);
  /// Every row's sum, in float32, rounded. The result stays until the next call and may be changed
  /// in the rows that have weights.
  std::vector<float>& apply(const std::vector<float>& x, const Arithmetic& arithmetic);
  const std::vector<uint32_t>& rows() const { return rows_; }

 private:
  const weights::SparseMatrix& matrix_;
  std::vector<uint32_t> rows_;
  std::vector<float> result_;
};

class PlainLayer {
 public:
  /// `layer` must outlive this.
  PlainLayer(const weights::LayerTensors& layer, const weights::ModelShape& shape);

  /// Forgets state and convolution history.
  void reset();
  /// One token: adds mixer and MLP to the residual.
  void apply(std::vector<float>& residual, Arithmetic& arithmetic);
  void mixer(std::vector<float>& residual, Arithmetic& arithmetic);
  void mlp(std::vector<float>& residual, Arithmetic& arithmetic);
  HeadStates& states() { return states_; }

 private:
  void norm(const std::vector<float>& x, const std::vector<float>& weight, Arithmetic& arithmetic);
  void convolve(std::vector<float>& qkv, const Arithmetic& arithmetic);
  void head(uint32_t index, const std::vector<float>& qkv, const std::vector<float>& z, float beta,
            float a, Arithmetic& arithmetic, float* output);

  const weights::LayerTensors& layer_;
  const weights::ModelShape& shape_;
  Projection qkv_, z_, a_, b_, out_, gate_, up_, down_;
  std::vector<float> normed_, heads_;
  std::vector<bool> head_used_;
  bool any_head_ = false, any_unit_ = false, has_history_ = false;
  std::vector<float> taps_;               ///< [row][tap]
  std::vector<std::vector<float>> past_;  ///< qkv of earlier tokens, the latest first
  HeadStates states_;
};

}  // namespace warplock::model_exec
