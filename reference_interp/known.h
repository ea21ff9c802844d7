#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What a thread knows to have happened: the "vector clock" of the race detector.
namespace warplock::reference_interp {

/// A thread of the grid: (linear CTA << 10) | linear thread (a CTA has at most 1,024).
using ThreadId = uint32_t;
inline constexpr uint32_t kThreadBits = 10;
inline ThreadId thread_id(uint32_t cta, uint32_t thread) {
  return cta << kThreadBits | thread;
}
inline uint32_t cta_of(ThreadId thread) {
  return thread >> kThreadBits;
}

/// For threads, for whole warps and for whole CTAs: everything they did up to a time happens before
/// what the owner does next. Time is the machine's one counter of memory accesses and
/// synchronisations, so a clock is one number, and knowledge of many threads that synchronised
/// together is one entry.
///
/// At most `kMaxEntries` are kept. Beyond, threads are widened to their warps, warps to their CTAs,
/// CTAs to everything: knowledge only grows, so a race may be missed but none is made up.
class Known {
 public:
  enum class Scope : uint32_t { kThread = 0, kWarp = 1, kCta = 2 };
  static constexpr size_t kMaxEntries = 48;

  bool empty() const { return entries_.empty() && everything_ == 0; }
  bool covers(ThreadId thread, uint32_t warp_width, uint64_t time) const;
  /// `thread` is any thread of the scope.
  void learn(Scope scope, ThreadId thread, uint32_t warp_width, uint64_t time);
  void join(const Known& other, uint32_t warp_width);
  /// Drops what is said of that CTA: used where a barrier says it better.
  void forget_cta(uint32_t cta);
  void clear();

 private:
  struct Entry {
    uint32_t key = 0;
    uint64_t time = 0;
  };
  static uint32_t key(Scope scope, ThreadId thread, uint32_t warp_width);
  void widen(uint32_t warp_width);
  void raise(uint32_t entry_key, uint64_t time);
  uint64_t time_of(uint32_t entry_key) const;

  uint64_t everything_ = 0;
  std::vector<Entry> entries_;  ///< sorted by key
};

}  // namespace warplock::reference_interp
