#include "model_exec/plain_model.h"

#include <limits>
#include <stdexcept>

namespace warplock::model_exec {

PlainModel::PlainModel(std::shared_ptr<const weights::ModelTensors> tensors,
                       const ArithmeticOptions& options)
    : tensors_(std::move(tensors)), arithmetic_(options), residual_(tensors_->shape.hidden_size) {
  layers_.reserve(tensors_->layers.size());
  for (const weights::LayerTensors& layer : tensors_->layers) {
    layers_.emplace_back(layer, tensors_->shape);
  }
}

void PlainModel::reset() {
  for (PlainLayer& layer : layers_) layer.reset();
}

void PlainModel::append(uint32_t id) {
  const weights::SparseMatrix& rows = tensors_->embedding;
  if (id >= rows.rows) throw std::out_of_range("the vocabulary has no such id");
  std::fill(residual_.begin(), residual_.end(), 0.0f);
  for (uint32_t i = rows.row_start[id]; i < rows.row_start[id + 1]; ++i) {
    residual_[rows.column[i]] = rows.value[i];
  }
  for (uint32_t i = 0; i < layers_.size(); ++i) {
    layers_[i].apply(residual_, arithmetic_);
    if (observer_) observer_(i, residual_);
  }
}

Choice PlainModel::choose(uint32_t first, uint32_t count) {
  const weights::SparseMatrix& rows = tensors_->embedding;
  float sum = 0;
  for (float value : residual_) sum += value * value;
  float scale = arithmetic_.rsqrt(sum / static_cast<float>(residual_.size()) +
                                  static_cast<float>(tensors_->shape.rms_norm_eps));
  std::vector<float> h(residual_.size());
  for (size_t i = 0; i < h.size(); ++i) {
    h[i] = arithmetic_.round(residual_[i] * scale * (1.0f + tensors_->final_norm[i]));
  }
  Choice best;
  best.logit = -std::numeric_limits<float>::infinity();
  float second = best.logit;
  for (uint32_t id = first; id < first + count && id < rows.rows; ++id) {
    float logit = 0;
    for (uint32_t i = rows.row_start[id]; i < rows.row_start[id + 1]; ++i) {
      logit += rows.value[i] * h[rows.column[i]];
    }
    logit = arithmetic_.round(logit);
    if (logit > best.logit) {
      second = best.logit;
      best.logit = logit;
      best.id = id;
    } else {
      second = std::max(second, logit);
    }
  }
  best.margin = best.logit - second;
  return best;
}

}  // namespace warplock::model_exec
