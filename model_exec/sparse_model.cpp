#include "model_exec/sparse_model.h"

#include <stdexcept>

namespace warplock::model_exec {

SparseModel::Layer::Layer(const weights::LayerTensors& tensors, const weights::ModelShape& shape,
                          Precision precision)
    : plain(tensors, shape),
      mixer(tensors, shape, precision, plain.states()),
      mlp(tensors, shape, precision),
      has_mixer(tensors.out.non_zeros() > 0),
      has_mlp(tensors.down.non_zeros() > 0) {}

SparseModel::SparseModel(std::shared_ptr<const weights::ModelTensors> tensors,
                         const EngineOptions& options)
    : tensors_(std::move(tensors)),
      arithmetic_(options.arithmetic),
      plain_(options.plain || options.arithmetic.rsqrt_ulps != 0),
      residual_(tensors_->shape.hidden_size),
      hidden_(tensors_->shape.hidden_size) {
  for (const weights::LayerTensors& layer : tensors_->layers) {
    layers_.push_back(
        std::make_unique<Layer>(layer, tensors_->shape, options.arithmetic.precision));
  }
}

void SparseModel::reset() {
  for (auto& layer : layers_) layer->plain.reset();
}

void SparseModel::half_layer(uint32_t index, bool mlp) {
  Layer& layer = *layers_[index];
  if (!(mlp ? layer.has_mlp : layer.has_mixer)) return;
  ++half_layers_;
  bool done = !plain_ && (mlp ? layer.mlp.apply(residual_) : layer.mixer.apply(residual_));
  if (!done) {
    ++plain_half_layers_;
    dense_ = residual_.values();
    mlp ? layer.plain.mlp(dense_, arithmetic_) : layer.plain.mixer(dense_, arithmetic_);
    residual_.assign(dense_);
  }
  if (observer_) observer_(index, mlp, residual_.values());
}

void SparseModel::append(uint32_t id) {
  const weights::SparseMatrix& rows = tensors_->embedding;
  if (id >= rows.rows) throw std::out_of_range("the vocabulary has no such id");
  residual_.clear();
  for (uint32_t i = rows.row_start[id]; i < rows.row_start[id + 1]; ++i) {
    residual_.set(rows.column[i], rows.value[i]);
  }
  for (uint32_t i = 0; i < layers_.size(); ++i) {
    half_layer(i, false);
    half_layer(i, true);
  }
}

Choice SparseModel::choose(uint32_t first, uint32_t count) {
  float sum = 0;
  residual_.for_each([&](size_t dim) { sum += residual_[dim] * residual_[dim]; });
  float scale = arithmetic_.rsqrt(sum / static_cast<float>(hidden_.size()) +
                                  static_cast<float>(tensors_->shape.rms_norm_eps));
  std::fill(hidden_.begin(), hidden_.end(), 0.0f);
  residual_.for_each([&](size_t dim) {
    hidden_[dim] = arithmetic_.round(residual_[dim] * scale * (1.0f + tensors_->final_norm[dim]));
  });
  if (!plain_) {
    if (!search_ || search_first_ != first || search_count_ != count) {
      search_ = std::make_unique<HeadSearch>(tensors_->embedding, first, count);
      search_first_ = first;
      search_count_ = count;
    }
    if (auto choice = search_->find(hidden_, arithmetic_)) return *choice;
  }
  return full_search(tensors_->embedding, first, count, hidden_, arithmetic_);
}

}  // namespace warplock::model_exec
