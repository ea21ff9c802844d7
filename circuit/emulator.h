#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "circuit/isa.h"

namespace warplock::circuit {

/// What the machine does next: the meaning of one token of a run, before it is split into ids.
struct Step {
  enum class Kind : uint8_t {
    kExec,      ///< `block` for `warp` by the lanes in `mask`; `release` releases a barrier
    kRegister,  ///< record: register `index` of `warp`, lanes in `mask`, `data` a word a lane
    kMemory,    ///< record: bank q in `mask` gets `data[q]` at row `rows[q]`
    kCta,       ///< next CTA of the row, number `index`
    kCtaRow,    ///< next row of CTAs, number `index`
    kHalt,
  };
  Kind kind = Kind::kHalt;
  uint32_t block = 0, warp = 0, mask = 0, slot = 0, index = 0;
  bool release = false;
  std::array<uint32_t, 4> data{}, rows{};
  friend bool operator==(const Step&, const Step&) = default;
};

/// What one lane did in one slot of an executed block: what traces are made from.
struct LaneResult {
  uint32_t result = 0, address = 0;
  bool predicate = false, executed = false;  ///< `executed`: in the mask, and not guarded off
};

/// Executes a MachineProgram, a step at a time, exactly as the circuits must.
class Emulator {
 public:
  explicit Emulator(const MachineProgram& program);
  /// The next step; kHalt from the end on.
  Step next();
  /// Of the block executed last: results by slot and lane.
  const std::vector<std::array<LaneResult, 4>>& results() const;
  const std::vector<uint32_t>& memory() const;
  uint32_t register_of(uint32_t warp, uint32_t lane, uint32_t reg) const;
  /// Linear number of the CTA that runs now.
  uint32_t cta_x() const;
  uint32_t cta_y() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace warplock::circuit
