#include "model_exec/sparse_mixer.h"

#include <algorithm>
#include <map>

namespace warplock::model_exec {
namespace {
constexpr float kClosed = -89;    // silu is exactly 0 from here down
constexpr float kInputBound = 1;  // of what addresses rows; checked before a key is trusted
}  // namespace

SparseMixer::SparseMixer(const weights::LayerTensors& layer, const weights::ModelShape& shape,
                         Precision precision, HeadStates& states)
    : shape_(shape),
      arithmetic_({precision, 0, 1}),
      scale_(anchored_scale(shape.rms_norm_eps, shape.hidden_size)),
      states_(states),
      sums_(shape.head_dim),
      values_(shape.head_dim),
      held_(shape.head_dim),
      read_(shape.head_dim),
      sum_(shape.hidden_size) {
  usable_ = scale_ != 0;
  for (float weight : layer.input_norm) usable_ = usable_ && weight == 0;
  for (uint32_t row = 0; row < layer.conv.rows; ++row) {  // only this token's tap, and that is 1
    usable_ = usable_ && layer.conv.row_start[row + 1] == layer.conv.row_start[row] + 1 &&
              layer.conv.column[layer.conv.row_start[row]] + 1 == shape.conv_kernel &&
              layer.conv.value[layer.conv.row_start[row]] == 1;
  }
  std::vector<std::vector<std::vector<OutputTerm>>> outputs(
      shape.heads, std::vector<std::vector<OutputTerm>>(shape.head_dim));
  std::vector<bool> used(shape.heads);
  for (uint32_t dim = 0; dim < layer.out.rows; ++dim) {
    for (uint32_t i = layer.out.row_start[dim]; i < layer.out.row_start[dim + 1]; ++i) {
      uint32_t column = layer.out.column[i];
      outputs[column / shape.head_dim][column % shape.head_dim].push_back(
          {dim, layer.out.value[i]});
      used[column / shape.head_dim] = true;
    }
  }
  uint32_t dim = shape.head_dim, width = shape.head_width();
  for (uint32_t i = 0; i < shape.heads && usable_; ++i) {
    if (!used[i]) continue;
    Head head;
    head.index = i;
    head.query = columns(layer.qkv, i * dim, dim);
    head.key = columns(layer.qkv, width + i * dim, dim);
    head.value = columns(layer.qkv, 2 * width + i * dim, dim);
    head.open = columns(layer.b, i, 1);
    head.forget = columns(layer.a, i, 1);
    Columns z = columns(layer.z, i * dim, dim);
    usable_ = usable_ && z.dims.empty() && layer.a_log[i] == 0;
    for (float constant : z.constant) head.gate.push_back(silu(arithmetic_.round(constant)));
    // Without a flag nothing decays.
    usable_ = usable_ && head.forget.constant[0] == 0 && std::exp(-softplus(layer.dt_bias[i])) == 1;
    head.outputs = std::move(outputs[i]);
    heads_.push_back(std::move(head));
  }
  for (uint32_t i = 0; i < dim; ++i) usable_ = usable_ && layer.head_norm[i] == 1;
  dt_bias_ = layer.dt_bias;
}

SparseMixer::Columns SparseMixer::columns(const weights::SparseMatrix& matrix, uint32_t first,
                                          uint32_t rows) const {
  Columns made;
  made.constant.assign(rows, 0);
  std::map<uint16_t, std::vector<float>> by_dim;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t i = matrix.row_start[first + row]; i < matrix.row_start[first + row + 1]; ++i) {
      float weight = matrix.value[i] * scale_;
      if (matrix.column[i] < 2) {
        made.constant[row] += weight * kAnchorValue;
        continue;
      }
      std::vector<float>& column = by_dim[static_cast<uint16_t>(matrix.column[i])];
      column.resize(rows);
      column[row] = weight;
    }
  }
  for (const auto& [dim, column] : by_dim) {
    made.dims.push_back(dim);
    made.weights.insert(made.weights.end(), column.begin(), column.end());
  }
  choose_key(made);
  return made;
}

/// The input without which, the others being 0 or 1, no row of the projection opens.
void SparseMixer::choose_key(Columns& columns) const {
  size_t rows = columns.constant.size();
  for (size_t candidate = columns.dims.size(); candidate-- > 0;) {
    bool closes = true;
    for (size_t row = 0; row < rows && closes; ++row) {
      float most = columns.constant[row];
      bool empty = most == 0;
      for (size_t i = 0; i < columns.dims.size(); ++i) {
        float weight = columns.weights[i * rows + row];
        empty = empty && weight == 0;
        if (i != candidate) most += std::max(0.0f, weight * kInputBound);
      }
      closes = empty || most <= kClosed;
    }
    if (closes) columns.key = columns.dims[candidate];
  }
}

void SparseMixer::project(const Columns& columns, const Residual& residual,
                          std::vector<float>& sums) const {
  size_t rows = columns.constant.size();
  std::copy(columns.constant.begin(), columns.constant.end(), sums.begin());
  for (size_t i = 0; i < columns.dims.size(); ++i) {
    float x = residual[columns.dims[i]];
    if (x == 0) continue;
    const float* weights = &columns.weights[i * rows];
    for (size_t row = 0; row < rows; ++row) sums[row] += weights[row] * x;
  }
}

/// Rows whose activation is not zero.
void SparseMixer::hot_rows(const Columns& columns, const Residual& residual,
                           std::vector<Hot>& hot) {
  hot.clear();
  if (columns.key != 0 && residual[columns.key] == 0) return;
  project(columns, residual, sums_);
  for (uint32_t row = 0; row < sums_.size(); ++row) {
    if (sums_[row] <= kClosed || sums_[row] == 0) continue;
    float value = arithmetic_.round(silu(arithmetic_.round(sums_[row])));
    if (value != 0) hot.push_back({row, value});
  }
}

void SparseMixer::write(Head& head, const std::vector<Hot>& key, const Residual& residual) {
  const uint32_t dim = shape_.head_dim;
  float* state = states_.head(head.index);
  uint8_t* written = states_.written(head.index);
  float norm = 0;
  for (const Hot& hot : key) norm += hot.value * hot.value;
  float scale = arithmetic_.rsqrt(norm + 1e-6f);
  std::fill(held_.begin(), held_.end(), 0.0f);
  for (const Hot& hot : key) {
    if (!written[hot.row]) continue;
    for (uint32_t j = 0; j < dim; ++j) held_[j] += state[hot.row * dim + j] * (hot.value * scale);
  }
  std::vector<float> single(1);
  project(head.open, residual, single);
  float open = arithmetic_.round(sigmoid(arithmetic_.round(single[0])));
  project(head.value, residual, values_);
  for (uint32_t j = 0; j < dim; ++j) {
    float value = values_[j] == 0 ? 0 : arithmetic_.round(silu(arithmetic_.round(values_[j])));
    held_[j] = (value - held_[j]) * open;
  }
  for (const Hot& hot : key) {
    written[hot.row] = 1;
    for (uint32_t j = 0; j < dim; ++j) state[hot.row * dim + j] += hot.value * scale * held_[j];
  }
}

void SparseMixer::read(Head& head, const std::vector<Hot>& query) {
  const uint32_t dim = shape_.head_dim;
  const float* state = states_.head(head.index);
  const uint8_t* written = states_.written(head.index);
  float norm = 0;
  bool any = false;
  for (const Hot& hot : query) {
    norm += hot.value * hot.value;
    any = any || written[hot.row];
  }
  if (!any) return;
  float scale = arithmetic_.rsqrt(norm + 1e-6f);
  float root = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
  std::fill(read_.begin(), read_.end(), 0.0f);
  for (const Hot& hot : query) {
    if (!written[hot.row]) continue;
    float weight = hot.value * scale * root;
    for (uint32_t j = 0; j < dim; ++j) read_[j] += state[hot.row * dim + j] * weight;
  }
  float square = 0;
  for (float& value : read_) {
    value = arithmetic_.round(value);
    square += value * value;
  }
  float head_scale =
      arithmetic_.rsqrt(square / static_cast<float>(dim) + static_cast<float>(shape_.rms_norm_eps));
  for (uint32_t j = 0; j < dim; ++j) {
    if (read_[j] == 0 || head.outputs[j].empty()) continue;
    float value = arithmetic_.round(arithmetic_.round(read_[j] * head_scale) * head.gate[j]);
    for (const OutputTerm& output : head.outputs[j]) sum_.add(output.dim, value * output.weight);
  }
}

bool SparseMixer::apply(Residual& residual) {
  if (heads_.empty() && usable_) return true;
  if (!usable_ || residual[0] != kAnchorValue || residual[1] != kAnchorValue) return false;
  // The norm is exact while everything but the anchors is small.
  bool small = true;
  residual.for_each(
      [&](size_t dim) { small = small && (dim < 2 || std::fabs(residual[dim]) <= kLargestInput); });
  for (const Head& head : heads_) {  // before anything changes
    for (const Columns* columns : {&head.query, &head.key}) {
      for (uint16_t dim : columns->dims) {
        small = small && residual[dim] >= 0 && residual[dim] <= kInputBound;
      }
    }
  }
  if (!small) return false;
  for (Head& head : heads_) {
    std::vector<float> forget(1);
    project(head.forget, residual, forget);
    if (forget[0] != 0) {
      float decay = std::exp(-softplus(arithmetic_.round(forget[0]) + dt_bias_[head.index]));
      states_.decay(head.index, decay);
    }
    hot_rows(head.key, residual, key_);
    if (!key_.empty()) write(head, key_, residual);
    hot_rows(head.query, residual, query_);
    if (!query_.empty()) read(head, query_);
  }
  sum_.pour(residual, arithmetic_);
  return true;
}

}  // namespace warplock::model_exec
