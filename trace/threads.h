#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/event.h"

namespace warplock::trace {

constexpr uint32_t kNone = 0xffffffff;

/// The threads of two traces under common numbers.
class Threads {
 public:
  struct Info {
    uint32_t cta = 0, thread = 0;  ///< as events have them
    uint32_t group = 0;            ///< number of the CTA, from 0
    uint32_t rank = 0;             ///< number of the thread among those of its CTA, from 0
    uint32_t warp = 0;             ///< number of the warp, from 0
  };

  Threads(const Trace& left, const Trace& right);

  size_t size() const { return infos_.size(); }
  size_t groups() const { return members_.size(); }
  const Info& info(uint32_t thread) const { return infos_[thread]; }
  std::span<const uint32_t> members(uint32_t group) const { return members_[group]; }
  std::span<const uint32_t> warp(uint32_t thread) const { return warps_[infos_[thread].warp]; }
  uint32_t number(const Event& event) const {
    return numbers_.at(uint64_t{event.cta} << 32 | event.thread);
  }

 private:
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<Info> infos_;
  std::vector<std::vector<uint32_t>> members_, warps_;
};

/// One trace's events by thread, those above `level` left out, and register events of instructions
/// that are elided in either trace.
class Streams {
 public:
  /// `elided`: by the trace's own instructions.
  Streams(const Trace& trace, const Threads& threads, Level level, const std::vector<bool>& elided);

  const Trace& trace() const { return trace_; }
  const Event& event(uint32_t index) const { return trace_.events[index]; }
  /// The thread of an event, `kNone` for one that was left out.
  uint32_t thread(uint32_t index) const { return thread_[index]; }
  /// Where the event stands in its thread's order.
  uint32_t position(uint32_t index) const { return position_[index]; }
  /// A thread's events in program order: indices into the trace.
  std::span<const uint32_t> of(uint32_t thread) const {
    return std::span(by_thread_).subspan(begin_[thread], begin_[thread + 1] - begin_[thread]);
  }
  uint32_t size() const { return static_cast<uint32_t>(thread_.size()); }

 private:
  const Trace& trace_;
  std::vector<uint32_t> thread_, position_, by_thread_;
  std::vector<size_t> begin_;
};

}  // namespace warplock::trace
