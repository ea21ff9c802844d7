#include "circuit/weights/checkpoint/tensor_list.h"

#include <bit>

#include <fmt/format.h>

#include "executor/digest.h"

namespace warplock::weights {

std::string_view name_of(TensorType type) {
  return type == TensorType::kBfloat16 ? "BF16" : "F32";
}

size_t size_of(TensorType type) {
  return type == TensorType::kBfloat16 ? 2 : 4;
}

uint64_t TensorEntry::elements() const {
  uint64_t count = 1;
  for (uint64_t extent : shape) count *= extent;
  return count;
}

uint64_t TensorEntry::row_elements() const {
  return matrix ? matrix->columns : elements();
}

std::vector<TensorEntry> tensor_list(ModelTensors& model) {
  std::vector<TensorEntry> list;
  const ModelShape& s = model.shape;
  uint64_t hidden = s.hidden_size, wide = s.intermediate_size, head = s.head_width();
  auto matrix = [&](const std::string& name, std::vector<uint64_t> shape, SparseMatrix& values) {
    list.push_back({name, TensorType::kBfloat16, std::move(shape), &values, nullptr});
  };
  auto vector = [&](const std::string& name, TensorType type, std::vector<float>& values,
                    uint64_t size) {
    list.push_back({name, type, {size}, nullptr, &values});
  };
  auto prefix = [](size_t layer) { return fmt::format("model.layers.{}.", layer); };
  matrix("model.embed_tokens.weight", {s.vocabulary, hidden}, model.embedding);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    LayerTensors& l = model.layers[i];
    matrix(prefix(i) + "linear_attn.in_proj_qkv.weight", {3 * head, hidden}, l.qkv);
    matrix(prefix(i) + "linear_attn.in_proj_z.weight", {head, hidden}, l.z);
    matrix(prefix(i) + "linear_attn.in_proj_a.weight", {s.heads, hidden}, l.a);
    matrix(prefix(i) + "linear_attn.in_proj_b.weight", {s.heads, hidden}, l.b);
    matrix(prefix(i) + "linear_attn.out_proj.weight", {hidden, head}, l.out);
    matrix(prefix(i) + "mlp.gate_proj.weight", {wide, hidden}, l.gate);
    matrix(prefix(i) + "mlp.up_proj.weight", {wide, hidden}, l.up);
    matrix(prefix(i) + "mlp.down_proj.weight", {hidden, wide}, l.down);
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    LayerTensors& l = model.layers[i];
    matrix(prefix(i) + "linear_attn.conv1d.weight", {3 * head, 1, s.conv_kernel}, l.conv);
    vector(prefix(i) + "input_layernorm.weight", TensorType::kBfloat16, l.input_norm, hidden);
    vector(prefix(i) + "post_attention_layernorm.weight", TensorType::kBfloat16, l.post_norm,
           hidden);
    vector(prefix(i) + "linear_attn.norm.weight", TensorType::kFloat32, l.head_norm, s.head_dim);
    vector(prefix(i) + "linear_attn.A_log", TensorType::kFloat32, l.a_log, s.heads);
    vector(prefix(i) + "linear_attn.dt_bias", TensorType::kBfloat16, l.dt_bias, s.heads);
  }
  vector("model.norm.weight", TensorType::kBfloat16, model.final_norm, hidden);
  return list;
}

void for_each_non_zero(const TensorEntry& entry,
                       const std::function<void(uint64_t, uint32_t)>& visit) {
  auto bits_of = [&](float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    return entry.type == TensorType::kBfloat16 ? bits >> 16 : bits;
  };
  if (entry.vector) {
    for (size_t i = 0; i < entry.vector->size(); ++i) {
      if (uint32_t bits = bits_of((*entry.vector)[i])) visit(i, bits);
    }
    return;
  }
  const SparseMatrix& matrix = *entry.matrix;
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    for (uint32_t i = matrix.row_start[row]; i < matrix.row_start[row + 1]; ++i) {
      visit(uint64_t{row} * matrix.columns + matrix.column[i], bits_of(matrix.value[i]));
    }
  }
}

std::string content_digest(const TensorEntry& entry) {
  executor::Digest digest;
  digest.add(entry.name);
  digest.add(name_of(entry.type));
  for (uint64_t extent : entry.shape) digest.add(extent);
  std::string bytes;
  for_each_non_zero(entry, [&](uint64_t index, uint32_t bits) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(index >> (8 * i)));
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(bits >> (8 * i)));
  });
  digest.add(bytes);
  return digest.hex();
}

}  // namespace warplock::weights
