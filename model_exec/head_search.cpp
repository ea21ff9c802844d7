#include "model_exec/head_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace warplock::model_exec {

HeadSearch::HeadSearch(const weights::SparseMatrix& rows, uint32_t first, uint32_t count)
    : rows_(rows) {
  std::map<std::vector<std::pair<uint32_t, float>>, std::vector<uint32_t>> by_magnitude;
  for (uint32_t id = first; id < first + count && id < rows.rows; ++id) {
    std::vector<std::pair<uint32_t, float>> magnitudes;
    for (uint32_t i = rows.row_start[id]; i < rows.row_start[id + 1]; ++i) {
      magnitudes.push_back({rows.column[i], std::fabs(rows.value[i])});
    }
    by_magnitude[std::move(magnitudes)].push_back(id);
  }
  for (const auto& [magnitudes, ids] : by_magnitude) {
    Group group;
    std::vector<size_t> varying;
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      float value = rows.value[rows.row_start[ids[0]] + i];
      bool same = std::all_of(ids.begin(), ids.end(), [&](uint32_t id) {
        return rows.value[rows.row_start[id] + i] == value;
      });
      if (same) {
        group.fixed.push_back({magnitudes[i].first, value});
      } else {
        group.varying.push_back(magnitudes[i]);
        varying.push_back(i);
      }
    }
    usable_ = usable_ && varying.size() <= 64;
    for (uint32_t id : ids) {
      uint64_t signs = 0;
      for (size_t i = 0; i < varying.size() && i < 64; ++i) {
        if (rows.value[rows.row_start[id] + varying[i]] > 0) signs |= uint64_t{1} << i;
      }
      group.by_signs.emplace(signs, id);
    }
    groups_.push_back(std::move(group));
  }
}

std::optional<Choice> HeadSearch::find(const std::vector<float>& hidden,
                                       const Arithmetic& arithmetic) const {
  if (!usable_) return std::nullopt;
  double best = -std::numeric_limits<double>::infinity(), second = best, step = 0;
  const Group* best_group = nullptr;
  uint64_t best_signs = 0;
  for (const Group& group : groups_) {
    double bound = 0, least = std::numeric_limits<double>::infinity();
    uint64_t signs = 0;
    for (const auto& [column, value] : group.fixed) bound += double{value} * hidden[column];
    for (size_t i = 0; i < group.varying.size(); ++i) {
      double part = double{group.varying[i].second} * hidden[group.varying[i].first];
      if (part > 0) signs |= uint64_t{1} << i;
      bound += std::fabs(part);
      least = std::min(least, std::fabs(part));
    }
    if (bound <= best) {
      second = std::max(second, bound);
      continue;
    }
    second = std::max(second, best);
    best = bound;
    best_group = &group;
    best_signs = signs;
    step = 2 * least;  // another row of the group differs in one sign at least
  }
  if (!best_group) return std::nullopt;
  auto found = best_group->by_signs.find(best_signs);
  double margin = std::min(best - second, step);
  // Rounding to bfloat16 moves two logits by at most 2^-8 of the greater one.
  if (found == best_group->by_signs.end() || !(margin > std::fabs(best) / 64)) return std::nullopt;
  return Choice{found->second, logit_of(rows_, found->second, hidden, arithmetic),
                static_cast<float>(margin)};
}

float logit_of(const weights::SparseMatrix& rows, uint32_t id, const std::vector<float>& hidden,
               const Arithmetic& arithmetic) {
  float logit = 0;
  for (uint32_t i = rows.row_start[id]; i < rows.row_start[id + 1]; ++i) {
    logit += rows.value[i] * hidden[rows.column[i]];
  }
  return arithmetic.round(logit);
}

Choice full_search(const weights::SparseMatrix& rows, uint32_t first, uint32_t count,
                   const std::vector<float>& hidden, const Arithmetic& arithmetic) {
  Choice best;
  best.logit = -std::numeric_limits<float>::infinity();
  float second = best.logit;
  for (uint32_t id = first; id < first + count && id < rows.rows; ++id) {
    float logit = logit_of(rows, id, hidden, arithmetic);
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
