#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "circuit/weights/tensors.h"
#include "model_exec/arithmetic.h"

namespace warplock::model_exec {

/// The greatest logit of a range of ids.
struct Choice {
  uint32_t id = 0;
  float logit = 0;
  float margin = 0;  ///< distance to the second greatest, or a lower bound of it
};

/// Finds the greatest logit of rows without computing all: rows with the same columns and the same
/// magnitudes form a group, in which the row with the hidden state's own signs is the greatest.
class HeadSearch {
 public:
  /// Rows first .. first + count - 1; `rows` must outlive this.
  HeadSearch(const weights::SparseMatrix& rows, uint32_t first, uint32_t count);

  /// Nothing when the greatest logit does not stand out clearly: then all have to be computed.
  std::optional<Choice> find(const std::vector<float>& hidden, const Arithmetic& arithmetic) const;

 private:
  struct Group {
    std::vector<std::pair<uint32_t, float>> fixed;    ///< column and value, the same in all rows
    std::vector<std::pair<uint32_t, float>> varying;  ///< column and magnitude
    std::unordered_map<uint64_t, uint32_t> by_signs;  ///< bit i: varying[i] is positive
  };
  const weights::SparseMatrix& rows_;
  std::vector<Group> groups_;
  bool usable_ = true;
};

/// One row's logit.
float logit_of(const weights::SparseMatrix& rows, uint32_t id, const std::vector<float>& hidden,
               const Arithmetic& arithmetic);
/// All logits of a range, computed.
Choice full_search(const weights::SparseMatrix& rows, uint32_t first, uint32_t count,
                   const std::vector<float>& hidden, const Arithmetic& arithmetic);

}  // namespace warplock::model_exec
