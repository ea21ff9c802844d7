#pragma once

#include <vector>

#include "circuit/weights/tensors.h"
#include "model_exec/plain_layer.h"
#include "model_exec/residual.h"

namespace warplock::model_exec {

/// A Gated DeltaNet mixer computed only where something is not zero: heads without a query or key
/// are found by the inputs they need, and only the state's rows that a token addresses are touched.
/// The state itself is the plain layer's, so that either can go on where the other stopped.
class SparseMixer {
 public:
  SparseMixer(const weights::LayerTensors& layer, const weights::ModelShape& shape,
              Precision precision, HeadStates& states);

  /// Adds the mixer's output; false, with nothing changed, when the plain layer has to do it.
  bool apply(Residual& residual);

 private:
  /// A projection of a head, by input dimension: one number a row.
  struct Columns {
    std::vector<float> constant;
    std::vector<uint16_t> dims;
    std::vector<float> weights;  ///< [dim][row]
    uint16_t key = 0;            ///< without this input every row is closed; 0: none such
  };
  struct Hot {
    uint32_t row;
    float value;
  };
  struct OutputTerm {
    uint32_t dim;
    float weight;
  };
  struct Head {
    uint32_t index = 0;
    Columns query, key, value, open, forget;
    std::vector<float> gate;                       ///< silu(z)
    std::vector<std::vector<OutputTerm>> outputs;  ///< by value
  };

  Columns columns(const weights::SparseMatrix& matrix, uint32_t first, uint32_t rows) const;
  void choose_key(Columns& columns) const;
  void project(const Columns& columns, const Residual& residual, std::vector<float>& sums) const;
  void hot_rows(const Columns& columns, const Residual& residual, std::vector<Hot>& hot);
  void write(Head& head, const std::vector<Hot>& key, const Residual& residual);
  void read(Head& head, const std::vector<Hot>& query);

  const weights::ModelShape& shape_;
  Arithmetic arithmetic_;
  float scale_;
  bool usable_ = true;
  HeadStates& states_;
  std::vector<float> dt_bias_;
  std::vector<Head> heads_;
  std::vector<float> sums_, values_, held_, read_;
  std::vector<Hot> query_, key_;
  Accumulator sum_;
};

}  // namespace warplock::model_exec
