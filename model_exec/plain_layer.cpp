#include "model_exec/plain_layer.h"

#include <algorithm>

namespace warplock::model_exec {
namespace {

void add(std::vector<float>& residual, const std::vector<float>& change,
         const Arithmetic& arithmetic) {
  for (size_t i = 0; i < residual.size(); ++i) {
    if (change[i] != 0) residual[i] = arithmetic.round(residual[i] + change[i]);
  }
}

}  // namespace

Projection::Projection(const weights::SparseMatrix& matrix)
    : matrix_(matrix), result_(matrix.rows) {
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    if (matrix.row_start[row] != matrix.row_start[row + 1]) rows_.push_back(row);
  }
}

std::vector<float>& Projection::apply(const std::vector<float>& x, const Arithmetic& arithmetic) {
  for (uint32_t row : rows_) {
    float sum = 0;
    for (uint32_t i = matrix_.row_start[row]; i < matrix_.row_start[row + 1]; ++i) {
      sum += matrix_.value[i] * x[matrix_.column[i]];
    }
    result_[row] = arithmetic.round(sum);
  }
  return result_;
}

void HeadStates::reset() {
  for (size_t row = 0; row < written_.size(); ++row) {
    if (!written_[row]) continue;
    std::fill_n(&values_[row * dim_], dim_, 0.0f);
    written_[row] = 0;
  }
}

void HeadStates::decay(uint32_t index, float factor) {
  uint8_t* rows = written(index);
  for (uint32_t row = 0; row < dim_; ++row) {
    if (!rows[row]) continue;
    for (uint32_t j = 0; j < dim_; ++j) head(index)[row * dim_ + j] *= factor;
    if (factor == 0) rows[row] = 0;  // all that is finite is zero now
  }
}

PlainLayer::PlainLayer(const weights::LayerTensors& layer, const weights::ModelShape& shape)
    : layer_(layer),
      shape_(shape),
      qkv_(layer.qkv),
      z_(layer.z),
      a_(layer.a),
      b_(layer.b),
      out_(layer.out),
      gate_(layer.gate),
      up_(layer.up),
      down_(layer.down),
      normed_(shape.hidden_size),
      heads_(shape.head_width()),
      head_used_(shape.heads),
      taps_(size_t{3} * shape.head_width() * shape.conv_kernel),
      states_(shape) {
  for (uint32_t column : layer.out.column) head_used_[column / shape.head_dim] = true;
  any_head_ = !layer.out.column.empty();
  any_unit_ = !layer.down.column.empty();
  for (uint32_t row = 0; row < layer.conv.rows; ++row) {
    for (uint32_t i = layer.conv.row_start[row]; i < layer.conv.row_start[row + 1]; ++i) {
      taps_[size_t{row} * shape.conv_kernel + layer.conv.column[i]] = layer.conv.value[i];
      has_history_ = has_history_ || layer.conv.column[i] + 1 < shape.conv_kernel;
    }
  }
}

void PlainLayer::reset() {
  states_.reset();
  past_.clear();
}

void PlainLayer::apply(std::vector<float>& residual, Arithmetic& arithmetic) {
  if (any_head_) mixer(residual, arithmetic);
  if (any_unit_) mlp(residual, arithmetic);
}

void PlainLayer::norm(const std::vector<float>& x, const std::vector<float>& weight,
                      Arithmetic& arithmetic) {
  float sum = 0;
  for (float value : x) sum += value * value;
  float scale = arithmetic.rsqrt(sum / static_cast<float>(x.size()) +
                                 static_cast<float>(shape_.rms_norm_eps));
  for (size_t i = 0; i < x.size(); ++i) {
    normed_[i] = x[i] == 0 ? 0 : arithmetic.round(x[i] * scale * (1.0f + weight[i]));
  }
}

void PlainLayer::convolve(std::vector<float>& qkv, const Arithmetic& arithmetic) {
  std::vector<float> now;
  if (has_history_) now = qkv;
  uint32_t taps = shape_.conv_kernel;
  for (uint32_t row : qkv_.rows()) {
    float sum = taps_[row * taps + taps - 1] * qkv[row];
    for (size_t back = 0; back < past_.size(); ++back) {
      sum += taps_[row * taps + taps - 2 - back] * past_[back][row];
    }
    qkv[row] = sum == 0 ? 0 : arithmetic.round(silu(arithmetic.round(sum)));
  }
  if (!has_history_) return;
  past_.insert(past_.begin(), std::move(now));
  if (past_.size() + 1 > taps) past_.pop_back();
}

void PlainLayer::mixer(std::vector<float>& residual, Arithmetic& arithmetic) {
  norm(residual, layer_.input_norm, arithmetic);
  std::vector<float>& qkv = qkv_.apply(normed_, arithmetic);
  const std::vector<float>& z = z_.apply(normed_, arithmetic);
  const std::vector<float>& a = a_.apply(normed_, arithmetic);
  const std::vector<float>& b = b_.apply(normed_, arithmetic);
  convolve(qkv, arithmetic);
  std::fill(heads_.begin(), heads_.end(), 0.0f);
  for (uint32_t i = 0; i < shape_.heads; ++i) {
    if (!head_used_[i]) continue;
    head(i, qkv, z, arithmetic.round(sigmoid(b[i])), a[i], arithmetic,
         &heads_[i * shape_.head_dim]);
  }
  add(residual, out_.apply(heads_, arithmetic), arithmetic);
}

void PlainLayer::head(uint32_t index, const std::vector<float>& qkv, const std::vector<float>& z,
                      float beta, float a, Arithmetic& arithmetic, float* output) {
  const uint32_t dim = shape_.head_dim, width = shape_.head_width();
  const float* query = &qkv[index * dim];
  const float* key = &qkv[width + index * dim];
  const float* value = &qkv[2 * width + index * dim];
  float* state = states_.head(index);
  uint8_t* written = states_.written(index);

  float decay = std::exp(-std::exp(layer_.a_log[index]) * softplus(a + layer_.dt_bias[index]));
  if (decay != 1) states_.decay(index, decay);
  float query_norm = 0, key_norm = 0;
  for (uint32_t row = 0; row < dim; ++row) {
    query_norm += query[row] * query[row];
    key_norm += key[row] * key[row];
  }
  if (key_norm != 0) {
    float scale = arithmetic.rsqrt(key_norm + 1e-6f);
    std::vector<float> held(dim);
    for (uint32_t row = 0; row < dim; ++row) {
      if (key[row] == 0 || !written[row]) continue;
      for (uint32_t j = 0; j < dim; ++j) held[j] += state[row * dim + j] * (key[row] * scale);
    }
    for (uint32_t j = 0; j < dim; ++j) held[j] = (value[j] - held[j]) * beta;
    for (uint32_t row = 0; row < dim; ++row) {
      if (key[row] == 0) continue;
      written[row] = 1;
      for (uint32_t j = 0; j < dim; ++j) state[row * dim + j] += key[row] * scale * held[j];
    }
  }
  if (query_norm == 0) return;
  float scale = arithmetic.rsqrt(query_norm + 1e-6f);
  float root = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
  std::vector<float> read(dim);
  for (uint32_t row = 0; row < dim; ++row) {
    if (query[row] == 0 || !written[row]) continue;
    float weight = query[row] * scale * root;
    for (uint32_t j = 0; j < dim; ++j) read[j] += state[row * dim + j] * weight;
  }
  float square = 0;
  for (float& o : read) {
    o = arithmetic.round(o);
    square += o * o;
  }
  float head_scale =
      arithmetic.rsqrt(square / static_cast<float>(dim) + static_cast<float>(shape_.rms_norm_eps));
  for (uint32_t j = 0; j < dim; ++j) {
    float normed = layer_.head_norm[j] * arithmetic.round(read[j] * head_scale);
    output[j] = arithmetic.round(normed * silu(z[index * dim + j]));
  }
}

void PlainLayer::mlp(std::vector<float>& residual, Arithmetic& arithmetic) {
  norm(residual, layer_.post_norm, arithmetic);
  std::vector<float>& gate = gate_.apply(normed_, arithmetic);
  const std::vector<float>& up = up_.apply(normed_, arithmetic);
  for (uint32_t row : gate_.rows()) {
    gate[row] = arithmetic.round(arithmetic.round(silu(gate[row])) * up[row]);
  }
  add(residual, down_.apply(gate, arithmetic), arithmetic);
}

}  // namespace warplock::model_exec
