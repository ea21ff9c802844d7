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
    kRegister,  ///< record: slot `slot` writes register `index` of `warp`, lanes in `mask`, a word
                ///< a lane in `data`
    kMemory,    ///< record: bank q in `mask` gets `data[q]` at row `rows[q]`; `slot` is 4 + the
                ///< record's number
    kCta,     ///< next CTA of the row, number `index`: stored in memory, all lanes back to block 0
    kCtaRow,  ///< next row of CTAs, number `index`: stored in memory; kCta 0 follows
    kHalt,
  };
  Kind kind = Kind::kHalt;
  uint32_t block = 0, warp = 0, mask = 0, slot = 0, index = 0;
  bool release = false;
  std::array<uint32_t, 4> data{}, rows{};  ///< zero where `mask` has no bit
  friend bool operator==(const Step&, const Step&) = default;
};

/// What one lane did in one slot of an executed block: what traces are made from.
struct LaneResult {
  /// Of a store: what it stores.
  uint32_t result = 0, address = 0;
  bool predicate = false, executed = false;  ///< `executed`: in the mask, and not guarded off
};

/// Executes a MachineProgram, a step at a time, exactly as the circuits must. Registers outlive a
/// CTA; memory does too.
///
/// Scheduling: the lowest warp that has a lane to run; of its lanes those at its lowest block, in a
/// serial block only the first of them. When every lane left waits at a barrier, all are released.
/// When every lane has exited, the next CTA starts.
/// Records follow their kExec at once: registers in order of slots, then memory. Of several lanes
/// that store into one bank, the t-th lane goes into the t-th record, so that the last lane wins.
class Emulator {
 public:
  /// Throws std::invalid_argument for a program that `validate` refuses.
  explicit Emulator(const MachineProgram& program);
  ~Emulator();
  Emulator(const Emulator&);
  Emulator& operator=(const Emulator&);
  Emulator(Emulator&&) noexcept;
  Emulator& operator=(Emulator&&) noexcept;

  /// The next step; kHalt from the end on.
  Step next();
  /// Runs to kHalt, or until `max_blocks` more blocks were executed; false in that case.
  bool run(uint64_t max_blocks);
  /// Blocks executed so far, and instructions of single lanes in them.
  uint64_t blocks() const;
  uint64_t lane_instructions() const;
  /// True when both will do the same from now on: a machine that comes back to a state it was in
  /// never ends.
  bool same_state(const Emulator& other) const;

  /// Of the block executed last: results by slot and lane. Lanes outside the mask compute too (a
  /// shuffle may read them), but leave nothing behind.
  const std::vector<std::array<LaneResult, 4>>& results() const;
  /// MachineSpec::words() words, as they are after the records of the block executed last.
  const std::vector<uint32_t>& memory() const;
  uint32_t register_of(uint32_t warp, uint32_t lane, uint32_t reg) const;
  /// Number of the CTA that runs now.
  uint32_t cta_x() const;
  uint32_t cta_y() const;
  /// True once a lane has stored beyond the last row.
  bool store_out_of_range() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warplock::circuit
