#pragma once

#include <functional>
#include <string>
#include <vector>

#include "circuit/weights/tensors.h"

/// Which tensors a checkpoint has: names, shapes and types as Qwen3.5's text model names them.
namespace warplock::weights {

enum class TensorType : uint8_t { kBfloat16, kFloat32 };
std::string_view name_of(TensorType type);  ///< as safetensors spells it: "BF16", "F32"
size_t size_of(TensorType type);

/// One tensor's place in the model: a matrix or a vector.
struct TensorEntry {
  std::string name;
  TensorType type = TensorType::kBfloat16;
  std::vector<uint64_t> shape;
  SparseMatrix* matrix = nullptr;
  std::vector<float>* vector = nullptr;

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * size_of(type); }
  /// Elements of a matrix's row; all of a vector.
  uint64_t row_elements() const;
};

/// In the order of the file: matrices first, which keeps their rows on pages.
std::vector<TensorEntry> tensor_list(ModelTensors& model);

/// Visits the elements that are not zero, in order: index and bits.
void for_each_non_zero(const TensorEntry& entry,
                       const std::function<void(uint64_t index, uint32_t bits)>& visit);

/// SHA-256 over name, type, shape and every element that is not zero (index, bits).
std::string content_digest(const TensorEntry& entry);

}  // namespace warplock::weights
