#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/context.h"
#include "trace/differences.h"

namespace warplock::trace {

/// When two events of one thread are the same, and when they may rightly differ (docs/trace.md,
/// "What may differ").
class PairRules {
 public:
  PairRules(const Context& context, const Differences& differences);

  /// The same step of the thread's program, whatever the values.
  bool same_slot(uint32_t left, uint32_t right) const;
  bool same_widths(const Event& left, const Event& right) const;
  bool same_place(const Event& left, const Event& right) const;
  bool same_value(const Event& left, const Event& right) const;
  bool same_old(const Event& left, const Event& right) const;

  /// What is wrong with a difference that nothing excuses; nothing when something does. `place`,
  /// `value` and `old` say what is the same.
  std::optional<std::string> why_wrong(uint32_t thread, uint32_t left, uint32_t right, bool place,
                                       bool value, bool old) const;

 private:
  /// The load or atomic events that belong to two register events.
  struct ReadPair {
    uint32_t left, right;
    bool agrees;
  };

  std::optional<std::string> why_register_wrong(uint32_t thread, uint32_t left,
                                                uint32_t right) const;
  std::optional<std::string> why_read_wrong(uint32_t left, uint32_t right, bool place) const;
  std::optional<ReadPair> read_of(uint32_t left, uint32_t right) const;
  bool is_active_mask(const Side& side, uint32_t event) const;
  bool is_open_read(uint32_t left, uint32_t right) const;

  const Context& context_;
  const Side &left_, &right_;
  const Differences& differences_;
  bool left_is_narrow_, right_is_narrow_;
};

}  // namespace warplock::trace
