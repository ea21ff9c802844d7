#pragma once

#include <string>
#include <vector>

#include "trace/compare.h"
#include "trace/differences.h"
#include "trace/facts.h"
#include "trace/matching.h"
#include "trace/memory.h"
#include "trace/order.h"
#include "trace/threads.h"

namespace warplock::trace {

/// What is known of each event while two traces are compared.
enum class State : uint8_t {
  kUnseen,
  kAgrees,   ///< has a partner that is equal
  kExcused,  ///< has a partner that rightly differs
  kAlone,    ///< rightly has no partner
};

/// One of the two traces, with all that is derived from it.
struct Side {
  Side(const Trace& t, const Matching::Numbers& numbers, const Threads& threads, NameTable& table,
       Level level)
      : trace(t),
        objects(numbers.objects),
        instructions(numbers.instructions),
        registers(numbers.registers),
        facts(facts_of(t, table)),
        streams(t, threads, level, numbers.elided),
        order(streams, threads, facts),
        state(t.events.size(), State::kUnseen),
        partner(t.events.size(), kNone) {
    for (const std::string& name : t.register_names) names.push_back(table.number(name));
  }

  const Event& event(uint32_t index) const { return streams.event(index); }
  /// The common number of the event's instruction.
  uint32_t instruction(uint32_t index) const { return instructions[event(index).instruction]; }
  const InstructionFacts& facts_at(uint32_t index) const { return facts[event(index).instruction]; }
  /// "out+4"
  std::string location(const Event& event) const;
  /// Whether all its events name PTX instructions.
  static bool is_ptx(const Trace& trace);

  const Trace& trace;
  const std::vector<uint32_t>&objects, &instructions, &registers;  ///< common numbers
  std::vector<InstructionFacts> facts;                             ///< by instruction
  std::vector<uint32_t> names;                                     ///< by register: NameTable's
  Streams streams;
  FixedOrder order;
  std::vector<State> state;       ///< by event
  std::vector<uint32_t> partner;  ///< by event: the other side's
};

/// Two traces of one launch, ready to be compared.
struct Context {
  Context(const Trace& l, const Trace& r, Level compared, bool by_ptx);

  Level level;
  bool by_ptx;  ///< both sides name PTX instructions
  Threads threads;
  Matching matching;
  NameTable names;
  Side left, right;
  Cells cells;
  History left_history, right_history;
};

/// The earliest of the divergences that the checks find, by the left trace's order.
class FirstDivergence {
 public:
  void offer(uint64_t place, Divergence divergence) {
    if (!found_ || place < place_) {
      found_ = std::move(divergence);
      place_ = place;
    }
  }
  bool before(uint64_t place) const { return found_ && place_ < place; }
  std::optional<Divergence> take() { return std::move(found_); }

 private:
  std::optional<Divergence> found_;
  uint64_t place_ = 0;
};

/// The divergence of one thread at two events; `kNone` where a side has none left.
Divergence thread_divergence(const Context& context, Divergence::Kind kind, uint32_t thread,
                             uint32_t left, uint32_t right, std::string what);
/// The divergence of a cell's contents at two accesses; the events before are the cell's writes.
Divergence location_divergence(const Context& context, uint32_t cell, uint32_t left, uint32_t right,
                               std::string what);

/// Why a load or atomic whose value rightly differs is wrong all the same: it read what its
/// location cannot have held in its own trace, or the two traces start with different contents.
std::optional<std::string> why_impossible(const Context& context, bool on_left, uint32_t event);

/// The checks that `compare` puts together; each adds to `result`'s counts and offers what it
/// finds.
void compare_threads(Context& context, Comparison& result, FirstDivergence& first);
void compare_memory(Context& context, Comparison& result, FirstDivergence& first);
void check_barriers(const Context& context, const std::vector<bool>& diverged_groups,
                    FirstDivergence& first);
/// `partners` gives, by slot of the left history's writes, the right event that it is, or `kNone`.
void check_write_order(const Context& context, const std::vector<uint32_t>& partners,
                       FirstDivergence& first);

}  // namespace warplock::trace
