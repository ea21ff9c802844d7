#pragma once

#include <cstdint>
#include <vector>

#include "trace/facts.h"
#include "trace/threads.h"

namespace warplock::trace {

/// Which registers may rightly hold different values in the two executions, by thread.
class Differences {
 public:
  enum class Precision {
    kExact,    ///< every register event is seen: a register differs from one write to the next
    kClosure,  ///< registers are not seen, but all instructions are known: what may depend on it
    kThread,   ///< neither: after a first difference, all of the thread
  };

  Differences(const Threads& threads, size_t names, Precision precision,
              const std::vector<InstructionFacts>& facts);

  /// Exact where register events are compared, else closure where the table of instructions has no
  /// gap; by thread where calls pass values that names cannot follow.
  static Precision precision_for(const Trace& trace, const std::vector<InstructionFacts>& facts,
                                 bool registers_seen);

  Precision precision() const { return precision_; }
  /// Whether something that the instruction reads may differ.
  bool may_differ(uint32_t thread, const InstructionFacts& facts) const;
  bool may_differ(uint32_t thread, uint32_t name) const;
  bool any(uint32_t thread) const { return all_[thread] || !flags_[thread].empty(); }

  void set(uint32_t thread, uint32_t name);
  void clear(uint32_t thread, uint32_t name);  ///< kExact only
  void set_all(uint32_t thread) { all_[thread] = true; }

 private:
  bool reads_difference(uint32_t thread, const InstructionFacts& facts) const;

  const Threads& threads_;
  const std::vector<InstructionFacts>& facts_;
  Precision precision_;
  size_t names_;
  std::vector<std::vector<bool>> flags_;  ///< by thread and name; empty = none ever
  std::vector<bool> all_;
  std::vector<std::vector<uint32_t>> readers_;  ///< closure: instructions by name that they read
};

}  // namespace warplock::trace
