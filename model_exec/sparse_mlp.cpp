#include "model_exec/sparse_mlp.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace warplock::model_exec {
namespace {

using weights::SparseMatrix;

constexpr uint32_t kMemory = 16;  // remembered sums of a group
constexpr size_t kLargestPool = size_t{1} << 22;
constexpr size_t kMostKeys = 8;
constexpr float kClosed = -89;           // silu is exactly 0 from here down
constexpr float kOpen = 20;              // and exactly its argument from here up
constexpr uint64_t kFirstCompile = 512;  // keys are chosen again when the frequencies are known

/// The greatest power of two that divides the number.
float lowest_bit(float value) {
  int exponent = 0;
  float fraction = std::frexp(std::fabs(value), &exponent);
  auto mantissa = static_cast<uint32_t>(std::ldexp(fraction, 24));
  return std::ldexp(1.0f, exponent - 24 + std::countr_zero(mantissa));
}

struct Row {
  std::vector<std::pair<uint16_t, float>> terms;  ///< without the anchors
  float bias = 0;
};

/// A row of a projection as it acts on integers.
Row read_row(const SparseMatrix& matrix, uint32_t row, float scale) {
  Row to;
  for (uint32_t i = matrix.row_start[row]; i < matrix.row_start[row + 1]; ++i) {
    float weight = matrix.value[i] * scale;
    if (matrix.column[i] < 2) {
      to.bias += weight * kAnchorValue;
    } else {
      to.terms.push_back({static_cast<uint16_t>(matrix.column[i]), weight});
    }
  }
  return to;
}

}  // namespace

SparseMlp::SparseMlp(const weights::LayerTensors& layer, const weights::ModelShape& shape,
                     Precision precision)
    : arithmetic_({precision, 0, 1}),
      scale_(anchored_scale(shape.rms_norm_eps, shape.hidden_size)),
      low_(shape.hidden_size),
      high_(shape.hidden_size, 1),
      seen_(shape.hidden_size),
      groups_of_(shape.hidden_size),
      sum_(shape.hidden_size) {
  for (float weight : layer.post_norm) usable_ = usable_ && weight == 0;
  usable_ = usable_ && scale_ != 0;
  std::vector<std::vector<Term>> outputs(shape.intermediate_size);
  for (uint32_t dim = 0; dim < layer.down.rows; ++dim) {
    for (uint32_t i = layer.down.row_start[dim]; i < layer.down.row_start[dim + 1]; ++i) {
      outputs[layer.down.column[i]].push_back({static_cast<uint16_t>(dim), layer.down.value[i]});
    }
  }
  std::map<std::vector<std::pair<uint16_t, float>>, std::vector<Unit>> by_gate;
  std::map<std::vector<std::pair<uint16_t, float>>, std::vector<Unit>> by_up;
  float finest_output = 1e30f, finest_gate = 1e30f, finest_up = 1;
  for (uint32_t row = 0; row < shape.intermediate_size; ++row) {
    if (outputs[row].empty()) continue;
    Row gate = read_row(layer.gate, row, scale_), up = read_row(layer.up, row, scale_);
    Unit unit;
    unit.bias = gate.bias;
    unit.up_bias = up.bias;
    unit.up_begin = static_cast<uint32_t>(terms_.size());
    for (const auto& [dim, weight] : up.terms) {
      terms_.push_back({dim, weight});
      finest_up = std::min(finest_up, lowest_bit(weight));
    }
    unit.up_end = static_cast<uint32_t>(terms_.size());
    if (up.bias != 0) finest_up = std::min(finest_up, lowest_bit(up.bias));
    if (gate.bias != 0) finest_gate = std::min(finest_gate, lowest_bit(gate.bias));
    for (const auto& [dim, weight] : gate.terms) {
      finest_gate = std::min(finest_gate, lowest_bit(weight));
    }
    unit.out_begin = static_cast<uint32_t>(outputs_.size());
    for (const Term& output : outputs[row]) {
      outputs_.push_back(output);
      unit.loudest = std::max(unit.loudest, std::fabs(output.weight));
      finest_output = std::min(finest_output, lowest_bit(output.weight));
    }
    unit.out_end = static_cast<uint32_t>(outputs_.size());
    // Units that are always open differ by what they pass on, the others by what opens them.
    (gate.terms.empty() ? by_up[up.terms] : by_gate[gate.terms]).push_back(unit);
  }
  grain_ = finest_output * finest_gate * finest_up;
  auto add_group = [&](const std::vector<std::pair<uint16_t, float>>& gate,
                       std::vector<Unit>& units) {
    std::sort(units.begin(), units.end(),
              [](const Unit& x, const Unit& y) { return x.bias > y.bias; });
    Group group;
    group.gate_begin = static_cast<uint32_t>(terms_.size());
    for (const auto& [dim, weight] : gate) terms_.push_back({dim, weight});
    group.gate_end = static_cast<uint32_t>(terms_.size());
    group.unit_begin = static_cast<uint32_t>(units_.size());
    units_.insert(units_.end(), units.begin(), units.end());
    group.unit_end = static_cast<uint32_t>(units_.size());
    group.constant_up = std::all_of(units.begin(), units.end(),
                                    [](const Unit& unit) { return unit.up_begin == unit.up_end; });
    if (group.constant_up) {
      group.memory = static_cast<uint32_t>(remembered_.size());
      remembered_.resize(remembered_.size() + kMemory);
    }
    groups_.push_back(group);
  };
  for (auto& [gate, units] : by_gate) add_group(gate, units);
  for (auto& [up, units] : by_up) add_group({}, units);
  stamp_.resize(groups_.size());
  compile();
}

/// Within the bounds no partial sum of a gate or an up value is rounded: all are multiples of one
/// number below 2^24 times it, or 2^16 times where inputs may be multiples of 1/256.
bool SparseMlp::sums_are_exact(float bias, uint32_t begin, uint32_t end) const {
  float grain = bias == 0 ? 1e30f : lowest_bit(bias), most = std::fabs(bias);
  for (uint32_t i = begin; i < end; ++i) {
    grain = std::min(grain, lowest_bit(terms_[i].weight));
    most += std::fabs(terms_[i].weight) *
            std::max(std::fabs(low_[terms_[i].dim]), std::fabs(high_[terms_[i].dim]));
  }
  return most <= grain * 65536.0f;
}

void SparseMlp::compile() {
  exact_ = usable_;
  for (const Group& group : groups_) {
    for (uint32_t u = group.unit_begin; u < group.unit_end; ++u) {
      const Unit& unit = units_[u];
      exact_ = exact_ && sums_are_exact(unit.bias, group.gate_begin, group.gate_end) &&
               sums_are_exact(unit.up_bias, unit.up_begin, unit.up_end);
    }
  }
  for (auto& groups : groups_of_) groups.clear();
  always_.clear();
  std::vector<float> cost(low_.size());
  if (tokens_ >= kFirstCompile) {
    for (size_t dim = 0; dim < cost.size(); ++dim) {
      cost[dim] = (static_cast<float>(seen_[dim]) + 0.01f) / static_cast<float>(tokens_);
    }
  } else {  // a dimension that many gates ask for is an opcode or the like, and rarely set
    std::vector<uint32_t> uses(cost.size());
    for (const Group& group : groups_) {
      for (uint32_t i = group.gate_begin; i < group.gate_end; ++i) ++uses[terms_[i].dim];
    }
    for (size_t dim = 0; dim < cost.size(); ++dim) {
      cost[dim] = 1.0f / (1.0f + static_cast<float>(uses[dim]));
    }
  }
  for (uint32_t group = 0; group < groups_.size(); ++group) choose_keys(group, cost);
}

void SparseMlp::choose_keys(uint32_t index, const std::vector<float>& cost) {
  Group& group = groups_[index];
  std::vector<uint16_t> best;
  float best_cost = 1e30f;
  auto offer = [&](const std::vector<uint16_t>& keys) {
    if (keys.empty() || keys.size() > kMostKeys) return;
    float total = 0;
    for (uint16_t dim : keys) total += cost[dim];
    if (total >= best_cost) return;
    best_cost = total;
    best = keys;
  };
  // Without these the greatest possible sum is still closed.
  std::vector<std::pair<float, uint16_t>> lifts;
  float greatest = units_[group.unit_begin].bias;
  for (uint32_t i = group.gate_begin; i < group.gate_end; ++i) {
    float lift =
        std::max(terms_[i].weight * low_[terms_[i].dim], terms_[i].weight * high_[terms_[i].dim]);
    greatest += std::max(lift, 0.0f);
    if (lift > 0) lifts.push_back({lift, terms_[i].dim});
  }
  for (const auto& [lift, dim] : lifts) {
    if (greatest - lift <= kClosed) offer({dim});
  }
  for (bool by_lift : {true, false}) {
    std::sort(lifts.begin(), lifts.end(), [&](const auto& x, const auto& y) {
      return by_lift ? x.first > y.first : x.first * cost[y.second] > y.first * cost[x.second];
    });
    std::vector<uint16_t> keys;
    float left = greatest;
    for (const auto& [lift, dim] : lifts) {
      if (left <= kClosed) break;
      keys.push_back(dim);
      left -= lift;
    }
    if (left <= kClosed) offer(keys);
  }
  // Or nothing passes.
  std::vector<uint16_t> passed;
  bool always_passes = false;
  for (uint32_t u = group.unit_begin; u < group.unit_end; ++u) {
    always_passes = always_passes || units_[u].up_bias != 0;
    for (uint32_t i = units_[u].up_begin; i < units_[u].up_end; ++i) {
      if (std::find(passed.begin(), passed.end(), terms_[i].dim) == passed.end()) {
        passed.push_back(terms_[i].dim);
      }
    }
  }
  if (!always_passes) offer(passed);
  group.several_keys = best.size() > 1;
  if (best.empty()) always_.push_back(index);
  for (uint16_t dim : best) groups_of_[dim].push_back(index);
}

bool SparseMlp::within_bounds(const Residual& residual) {
  if (residual[0] != kAnchorValue || residual[1] != kAnchorValue) return false;
  bool exact = true, wider = false;
  fractions_ = false;
  residual.for_each([&](size_t dim) {
    if (dim < 2) return;
    float value = residual[dim];
    ++seen_[dim];
    if (value != std::trunc(value)) {  // a state's sum over rows; exact too, in 1/256
      fractions_ = true;
      exact = exact && value * 256 == std::trunc(value * 256);
    }
    if (value >= low_[dim] && value <= high_[dim]) return;
    if (std::fabs(value) > kLargestInput) {
      exact = false;
      return;
    }
    low_[dim] = std::min(low_[dim], std::floor(value));
    high_[dim] = std::max(high_[dim], std::ceil(value));
    wider = true;
  });
  if (!exact || !usable_) return false;
  if (++tokens_ == kFirstCompile || tokens_ == 32 * kFirstCompile) wider = true;
  if (wider) compile();
  return exact_;
}

/// The activation; nothing when it is not exact.
std::optional<float> SparseMlp::activate(float gate, float up) const {
  gate = arithmetic_.round(gate);
  if (gate <= kClosed || gate == 0) return 0.0f;
  if (gate < kOpen) return std::nullopt;
  return arithmetic_.round(gate * arithmetic_.round(up));
}

bool SparseMlp::remember(const Group& group, float sum, Remembered& entry) {
  std::map<uint16_t, float> changes;
  float loudness = 0;
  for (uint32_t u = group.unit_begin; u < group.unit_end; ++u) {
    const Unit& unit = units_[u];
    if (sum + unit.bias <= kClosed) break;
    std::optional<float> activation = activate(sum + unit.bias, unit.up_bias);
    if (!activation) return false;
    if (*activation == 0) continue;
    loudness += std::fabs(*activation) * unit.loudest;
    for (uint32_t i = unit.out_begin; i < unit.out_end; ++i) {
      changes[outputs_[i].dim] += *activation * outputs_[i].weight;
    }
  }
  if (pool_.size() > kLargestPool) {
    pool_.clear();
    for (Remembered& old : remembered_) old.valid = false;
  }
  entry.sum = sum;
  entry.loudness = loudness;
  entry.begin = static_cast<uint32_t>(pool_.size());
  for (const auto& [dim, change] : changes) {
    if (change != 0) pool_.push_back({dim, change});
  }
  entry.end = static_cast<uint32_t>(pool_.size());
  entry.valid = true;
  return true;
}

bool SparseMlp::evaluate(Group& group, const Residual& residual) {
  float sum = 0;
  for (uint32_t i = group.gate_begin; i < group.gate_end; ++i) {
    sum += terms_[i].weight * residual[terms_[i].dim];
  }
  if (sum + units_[group.unit_begin].bias <= kClosed) return true;
  if (group.constant_up) {
    uint32_t bits = std::bit_cast<uint32_t>(sum);
    Remembered& entry = remembered_[group.memory + (bits * 0x9e3779b1u >> 28) % kMemory];
    if ((!entry.valid || entry.sum != sum) && !remember(group, sum, entry)) return false;
    loudness_ += entry.loudness;
    for (uint32_t i = entry.begin; i < entry.end; ++i) sum_.add(pool_[i].dim, pool_[i].weight);
    return true;
  }
  for (uint32_t u = group.unit_begin; u < group.unit_end; ++u) {
    const Unit& unit = units_[u];
    if (sum + unit.bias <= kClosed) break;
    float up = unit.up_bias;
    for (uint32_t i = unit.up_begin; i < unit.up_end; ++i) {
      up += terms_[i].weight * residual[terms_[i].dim];
    }
    if (up == 0) continue;
    std::optional<float> activation = activate(sum + unit.bias, up);
    if (!activation) return false;
    if (*activation == 0) continue;
    loudness_ += std::fabs(*activation) * unit.loudest;
    for (uint32_t i = unit.out_begin; i < unit.out_end; ++i) {
      sum_.add(outputs_[i].dim, *activation * outputs_[i].weight);
    }
  }
  return true;
}

bool SparseMlp::apply(Residual& residual) {
  if (groups_.empty()) return true;
  if (!within_bounds(residual)) return false;
  ++epoch_;
  loudness_ = 0;
  bool exact = true;
  for (uint32_t group : always_) exact = exact && evaluate(groups_[group], residual);
  residual.for_each([&](size_t dim) {
    for (uint32_t index : groups_of_[dim]) {
      if (groups_[index].several_keys) {
        if (stamp_[index] == epoch_) continue;
        stamp_[index] = epoch_;
      }
      exact = exact && evaluate(groups_[index], residual);
    }
  });
  // Then every partial sum is a multiple of the grain below 2^24 of them: no order rounds.
  if (!exact || loudness_ >= grain_ * (fractions_ ? 65536.0f : 16777216.0f)) {
    sum_.drop();
    return false;
  }
  sum_.pour(residual, arithmetic_);
  return true;
}

}  // namespace warplock::model_exec
