#pragma once

#include <optional>
#include <vector>

#include "circuit/weights/tensors.h"
#include "model_exec/residual.h"

namespace warplock::model_exec {

/// An MLP computed only where something is not zero.
///
/// Units with the same gate weights form a group. From the weights, and from bounds on the inputs
/// that are checked with every token, follow for each group a few dimensions without which none of
/// its units opens; only groups with one of these dimensions set are looked at. The sum of a gate
/// is an integer, so groups whose `up` is constant remember what they write for it.
class SparseMlp {
 public:
  SparseMlp(const weights::LayerTensors& layer, const weights::ModelShape& shape,
            Precision precision);

  /// Adds the MLP's output to the residual. False, with the residual as it was, when an input or an
  /// activation is outside of what this computes exactly; then the plain layer has to.
  bool apply(Residual& residual);

 private:
  struct Term {
    uint16_t dim;
    float weight;  ///< times the norm's scale
  };
  struct Unit {
    float bias = 0, up_bias = 0;
    uint32_t up_begin = 0, up_end = 0;    ///< in terms_
    uint32_t out_begin = 0, out_end = 0;  ///< in outputs_
    float loudest = 0;                    ///< greatest |weight| of its outputs
  };
  struct Remembered {
    float sum;
    uint32_t begin, end;  ///< in pool_
    float loudness;
    bool valid = false;
  };
  struct Group {
    uint32_t gate_begin = 0, gate_end = 0;  ///< in terms_
    uint32_t unit_begin = 0, unit_end = 0;  ///< in units_, the greatest bias first
    bool constant_up = false;
    bool several_keys = false;
    uint32_t memory = 0;  ///< first of kMemory entries in remembered_
  };

  void compile();
  bool sums_are_exact(float bias, uint32_t begin, uint32_t end) const;
  void choose_keys(uint32_t group, const std::vector<float>& cost);
  bool within_bounds(const Residual& residual);
  bool evaluate(Group& group, const Residual& residual);
  bool remember(const Group& group, float sum, Remembered& entry);
  std::optional<float> activate(float gate, float up) const;

  const Arithmetic arithmetic_;
  float scale_;
  bool usable_ = true;      ///< the norm is an exact multiplication
  bool exact_ = true;       ///< within the bounds, sums do not depend on their order
  bool fractions_ = false;  ///< this token has inputs that are no integers
  float grain_ = 1;         ///< every product that reaches the residual is a multiple of it
  std::vector<Term> terms_, outputs_;
  std::vector<Unit> units_;
  std::vector<Group> groups_;
  std::vector<Remembered> remembered_;
  std::vector<Term> pool_;
  std::vector<float> low_, high_;  ///< assumed bounds
  std::vector<uint32_t> seen_;     ///< how often each dimension was set
  uint64_t tokens_ = 0;
  std::vector<std::vector<uint32_t>> groups_of_;  ///< by key dimension
  std::vector<uint32_t> always_;
  std::vector<uint64_t> stamp_;
  uint64_t epoch_ = 0;
  Accumulator sum_;
  float loudness_ = 0;
};

}  // namespace warplock::model_exec
