#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "reference_interp/known.h"

/// The data race detector (docs/reference.md, "Data races").
namespace warplock::reference_interp {

/// One access that is remembered of a location.
struct Access {
  uint64_t time = 0;
  uint32_t thread_plus_one = 0;  ///< 0 = none
  uint32_t what = 0;             ///< instruction index << 1 | atomic

  bool present() const { return thread_plus_one != 0; }
  ThreadId thread() const { return thread_plus_one - 1; }
  uint32_t instruction() const { return what >> 1; }
  bool atomic() const { return (what & 1) != 0; }
};

/// The last write of a location and reads since then that no later read covers. Three of these are
/// enough to see that some read is unordered; see RaceDetector::remember_read.
struct Cell {
  Access write;
  std::array<Access, 3> reads;
};

/// What is remembered of one object: cells of four bytes, or of one byte in those pages of 256
/// bytes that were ever accessed by smaller pieces.
class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(uint64_t size) : pages_((size + kPageBytes - 1) / kPageBytes) {}

  /// Calls f(cell) for the cells of an aligned access, until it returns non-null, and returns that.
  template <class F>
  const Access* for_cells(uint64_t offset, uint32_t size, F f) {
    Page& page = page_of(offset, size);
    const uint32_t in_page = static_cast<uint32_t>(offset % kPageBytes);
    const uint32_t shift = page.by_byte ? 0 : 2;
    const uint32_t last = (in_page + size - 1) >> shift;
    for (uint32_t i = in_page >> shift; i <= last; ++i) {
      if (const Access* found = f(page.cells[i])) return found;
    }
    return nullptr;
  }

  /// What the releases of a location (by atomics) have published.
  std::unordered_map<uint64_t, Known>& published() { return published_; }

 private:
  static constexpr uint32_t kPageBytes = 256;
  struct Page {
    bool by_byte = false;
    std::vector<Cell> cells{kPageBytes / 4};
  };
  Page& page_of(uint64_t offset, uint32_t size) {
    std::unique_ptr<Page>& page = pages_[offset / kPageBytes];
    if (page == nullptr) page = std::make_unique<Page>();
    if (size < 4 && !page->by_byte) split(*page);
    return *page;
  }
  static void split(Page& page);

  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<uint64_t, Known> published_;
};

/// What the threads of one CTA know.
struct CtaClock {
  uint32_t cta = 0;
  uint64_t barrier = 0;        ///< the last barrier of the whole CTA
  std::vector<Known> threads;  ///< empty until something else than such a barrier synchronises

  Known& of(ThreadId thread, uint32_t threads_per_cta) {
    if (threads.empty()) threads.resize(threads_per_cta);
    return threads[thread & ((1u << kThreadBits) - 1)];
  }
};

/// Who is accessing.
struct Accessor {
  ThreadId thread = 0;
  uint32_t instruction = 0;
  bool atomic = false;
  const CtaClock* clock = nullptr;
};

class RaceDetector {
 public:
  RaceDetector(uint32_t warp_width, uint32_t threads_per_cta)
      : warp_width_(warp_width), threads_per_cta_(threads_per_cta) {}

  /// Begins the next access or synchronisation. All lanes of one instruction share a time.
  void tick() { ++now_; }

  /// Each returns the access that races with this one, or null, and remembers this one.
  const Access* read(Shadow& shadow, uint64_t offset, uint32_t size, const Accessor& who);
  const Access* write(Shadow& shadow, uint64_t offset, uint32_t size, const Accessor& who);

  /// An atomic access takes over what earlier ones of the location published (acquire) and
  /// publishes what its thread knows (release).
  void acquire(Shadow& shadow, uint64_t offset, ThreadId thread, CtaClock& clock);
  void release(Shadow& shadow, uint64_t offset, ThreadId thread, CtaClock& clock);

  /// All live threads of the CTA met.
  void cta_barrier(CtaClock& clock);
  /// What the arriving warp (whole, else the lanes of `lanes`) knows, added to `meeting`.
  void arrive(Known& meeting, CtaClock& clock, ThreadId first_lane, uint32_t lanes,
              bool whole_warp);
  /// The lanes take over what was brought to the meeting.
  void leave(const Known& meeting, CtaClock& clock, ThreadId first_lane, uint32_t lanes);

 private:
  bool ordered(const Access& earlier, const Accessor& who) const {
    if (earlier.thread() == who.thread) return true;
    if (earlier.time <= who.clock->barrier && cta_of(earlier.thread()) == who.clock->cta)
      return true;
    return !who.clock->threads.empty() && known_to(earlier, who);
  }
  bool known_to(const Access& earlier, const Accessor& who) const;
  void remember_read(Cell& cell, const Accessor& who) const;
  bool conflicts(const Access& earlier, const Accessor& who) const {
    return earlier.present() && !(earlier.atomic() && who.atomic) && !ordered(earlier, who);
  }
  Access made_by(const Accessor& who) const {
    return {now_, who.thread + 1, who.instruction << 1 | (who.atomic ? 1u : 0u)};
  }

  uint32_t warp_width_;
  uint32_t threads_per_cta_;
  uint64_t now_ = 0;
};

}  // namespace warplock::reference_interp
