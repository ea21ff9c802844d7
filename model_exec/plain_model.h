#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model_exec/plain_layer.h"

namespace warplock::model_exec {

/// The greatest logit of a range of ids.
struct Choice {
  uint32_t id = 0;
  float logit = 0, margin = 0;  ///< margin: distance to the second
};

/// The whole model, one sequence, token by token.
class PlainModel {
 public:
  PlainModel(std::shared_ptr<const weights::ModelTensors> tensors,
             const ArithmeticOptions& options);

  /// An empty sequence.
  void reset();
  /// Appends a token; the residual stream behind the last layer is kept. Throws std::out_of_range.
  void append(uint32_t id);
  /// The greatest logit at the end of the sequence among ids first .. first + count - 1.
  Choice choose(uint32_t first, uint32_t count);

  const std::vector<float>& residual() const { return residual_; }
  /// Called behind every layer, for comparing engines.
  void observe(std::function<void(uint32_t layer, const std::vector<float>&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  std::shared_ptr<const weights::ModelTensors> tensors_;
  Arithmetic arithmetic_;
  std::vector<PlainLayer> layers_;
  std::vector<float> residual_;
  std::function<void(uint32_t, const std::vector<float>&)> observer_;
};

}  // namespace warplock::model_exec
