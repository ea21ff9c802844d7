#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "circuit/weights/circuit.h"

/// A Qwen3.5 model whose tensors are nearly all zero, in memory.
namespace warplock::weights {

/// Row-compressed; columns ascend within a row. Values are bfloat16 numbers unless said otherwise.
struct SparseMatrix {
  uint32_t rows = 0, columns = 0;
  std::vector<uint32_t> row_start;  ///< rows + 1
  std::vector<uint32_t> column;
  std::vector<float> value;

  size_t non_zeros() const { return column.size(); }
  friend bool operator==(const SparseMatrix&, const SparseMatrix&) = default;
};

/// Shapes, as config.json names them. All layers are linear attention.
struct ModelShape {
  uint32_t hidden_size = 2048, intermediate_size = 6144, layers = 0, vocabulary = 0;
  uint32_t heads = 16, head_dim = 128, conv_kernel = 4;
  double rms_norm_eps = 1e-6;

  uint32_t head_width() const { return heads * head_dim; }
  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// One layer. `qkv` is rows [all q heads, all k heads, all v heads].
struct LayerTensors {
  SparseMatrix qkv, z, a, b, conv, out, gate, up, down;
  std::vector<float> dt_bias, a_log, head_norm, input_norm, post_norm;
  friend bool operator==(const LayerTensors&, const LayerTensors&) = default;
};

/// `embedding` is the head as well.
struct ModelTensors {
  ModelShape shape;
  std::vector<LayerTensors> layers;
  SparseMatrix embedding;
  std::vector<float> final_norm;
  friend bool operator==(const ModelTensors&, const ModelTensors&) = default;
};

float round_to_bfloat16(float value);
bool is_bfloat16(double value);

/// A matrix under construction, in any order.
class MatrixBuilder {
 public:
  MatrixBuilder(uint32_t rows, uint32_t columns) : columns_(columns), rows_(rows) {}
  void add(uint32_t row, uint32_t column, double value);
  /// Throws CircuitError when a value is not a bfloat16 number.
  SparseMatrix finish(const std::string& name) const;

 private:
  uint32_t columns_;
  std::vector<std::vector<std::pair<uint32_t, double>>> rows_;
};

/// How one layer sees the residual: an entry of x is x * input_scale behind the norm; constants
/// come from the anchors, or in the first layer from the dimension that every row sets.
struct LayerScale {
  double input_scale;  ///< 2^-19 with anchors of 2^24; 2^7 in the first layer
  bool first;
  uint16_t one;  ///< first layer only
};

/// The tensors of one layer. Throws CircuitError when something is not a bfloat16 number.
LayerTensors layer_tensors(const Layer& layer, const ModelShape& shape, const LayerScale& scale);

}  // namespace warplock::weights
