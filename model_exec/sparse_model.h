#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model_exec/head_search.h"
#include "model_exec/plain_layer.h"
#include "model_exec/sparse_mixer.h"
#include "model_exec/sparse_mlp.h"

namespace warplock::model_exec {

/// How a model is computed.
struct EngineOptions {
  ArithmeticOptions arithmetic;
  /// Every weight that is not zero, in the order of the equations. Otherwise only what is not zero
  /// is computed wherever that is proven to give the same bits; an inexact rsqrt makes it plain.
  bool plain = false;
};

/// The whole model, one sequence, token by token.
class SparseModel {
 public:
  SparseModel(std::shared_ptr<const weights::ModelTensors> tensors, const EngineOptions& options);

  /// An empty sequence.
  void reset();
  /// Appends a token; the residual stream behind the last layer is kept. Throws std::out_of_range.
  void append(uint32_t id);
  /// The greatest logit at the end of the sequence among ids first .. first + count - 1.
  Choice choose(uint32_t first, uint32_t count);

  const std::vector<float>& residual() const { return residual_.values(); }
  /// Called behind every mixer and every MLP, for comparing engines.
  using Observer = std::function<void(uint32_t layer, bool mlp, const std::vector<float>&)>;
  void observe(Observer observer) { observer_ = std::move(observer); }
  /// Half layers computed, and how many of them plainly.
  uint64_t half_layers() const { return half_layers_; }
  uint64_t plain_half_layers() const { return plain_half_layers_; }

 private:
  struct Layer {
    Layer(const weights::LayerTensors& tensors, const weights::ModelShape& shape,
          Precision precision);
    PlainLayer plain;
    SparseMixer mixer;
    SparseMlp mlp;
    bool has_mixer, has_mlp;
  };
  void half_layer(uint32_t index, bool mlp);

  std::shared_ptr<const weights::ModelTensors> tensors_;
  Arithmetic arithmetic_;
  bool plain_;
  std::vector<std::unique_ptr<Layer>> layers_;
  Residual residual_;
  std::vector<float> dense_, hidden_;
  std::unique_ptr<HeadSearch> search_;
  uint32_t search_first_ = 0, search_count_ = 0;
  uint64_t half_layers_ = 0, plain_half_layers_ = 0;
  Observer observer_;
};

}  // namespace warplock::model_exec
