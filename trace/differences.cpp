#include "trace/differences.h"

#include <algorithm>
#include <unordered_set>

namespace warplock::trace {

Differences::Differences(const Threads& threads, size_t names, Precision precision,
                         const std::vector<InstructionFacts>& facts)
    : threads_(threads),
      facts_(facts),
      precision_(precision),
      names_(names),
      flags_(threads.size()),
      all_(threads.size(), false) {
  if (precision_ != Precision::kClosure) return;
  readers_.resize(names);
  for (uint32_t i = 0; i < facts.size(); ++i) {
    for (uint32_t name : facts[i].sources) readers_[name].push_back(i);
  }
}

Differences::Precision Differences::precision_for(const Trace& trace,
                                                  const std::vector<InstructionFacts>& facts,
                                                  bool registers_seen) {
  bool calls =
      std::any_of(facts.begin(), facts.end(), [](const InstructionFacts& f) { return f.is_call; });
  if (calls) return Precision::kThread;
  if (registers_seen) return Precision::kExact;
  // Between the first and the last instruction that the trace has events of: what is not known
  // there could carry values, what lies outside is not executed.
  uint32_t low = kNoPtxIndex, high = 0;
  for (const Event& event : trace.events) {
    uint32_t index = trace.instructions[event.instruction].ptx_index;
    low = std::min(low, index);
    high = std::max(high, index);
  }
  std::unordered_set<uint32_t> known;
  for (const Instruction& instruction : trace.instructions) {
    if (instruction.ptx_index >= low && instruction.ptx_index <= high) {
      known.insert(instruction.ptx_index);
    }
  }
  if (high == kNoPtxIndex || known.size() < uint64_t{high} - low + 1) return Precision::kThread;
  return Precision::kClosure;
}

bool Differences::may_differ(uint32_t thread, uint32_t name) const {
  return all_[thread] || (!flags_[thread].empty() && flags_[thread][name]);
}

bool Differences::reads_difference(uint32_t thread, const InstructionFacts& facts) const {
  if (all_[thread]) return true;
  if (flags_[thread].empty()) return false;
  return std::any_of(facts.sources.begin(), facts.sources.end(),
                     [&](uint32_t name) { return flags_[thread][name]; });
}

bool Differences::may_differ(uint32_t thread, const InstructionFacts& facts) const {
  auto others = [&](std::span<const uint32_t> threads) {
    return std::any_of(threads.begin(), threads.end(),
                       [&](uint32_t other) { return reads_difference(other, facts); });
  };
  switch (facts.reads) {
    case InstructionFacts::Reads::kThread:
      return reads_difference(thread, facts);
    case InstructionFacts::Reads::kWarp:
      return others(threads_.warp(thread));
    case InstructionFacts::Reads::kCta:
      return others(threads_.members(threads_.info(thread).group));
  }
  return false;
}

void Differences::set(uint32_t thread, uint32_t name) {
  if (precision_ == Precision::kThread) {
    all_[thread] = true;
    return;
  }
  if (flags_[thread].empty()) flags_[thread].assign(names_, false);
  if (flags_[thread][name]) return;
  flags_[thread][name] = true;
  if (precision_ == Precision::kExact) return;
  // Whatever is computed from it, in any order: registers of PTX are mostly written once.
  std::vector<std::pair<uint32_t, uint32_t>> work{{thread, name}};
  auto add = [&](uint32_t to, uint32_t written) {
    if (flags_[to].empty()) flags_[to].assign(names_, false);
    if (flags_[to][written]) return;
    flags_[to][written] = true;
    work.emplace_back(to, written);
  };
  while (!work.empty()) {
    std::pair<uint32_t, uint32_t> at = work.back();
    work.pop_back();
    for (uint32_t reader : readers_[at.second]) {
      const InstructionFacts& facts = facts_[reader];
      for (uint32_t written : facts.destinations) {
        if (facts.reads == InstructionFacts::Reads::kThread) {
          add(at.first, written);
        } else if (facts.reads == InstructionFacts::Reads::kWarp) {
          for (uint32_t other : threads_.warp(at.first)) add(other, written);
        } else {
          uint32_t group = threads_.info(at.first).group;
          for (uint32_t other : threads_.members(group)) add(other, written);
        }
      }
    }
  }
}

void Differences::clear(uint32_t thread, uint32_t name) {
  if (!flags_[thread].empty()) flags_[thread][name] = false;
}

}  // namespace warplock::trace
