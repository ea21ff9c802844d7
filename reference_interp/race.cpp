#include "reference_interp/race.h"

#include <bit>

namespace warplock::reference_interp {

void Shadow::split(Page& page) {
  std::vector<Cell> bytes(kPageBytes);
  for (uint32_t i = 0; i < kPageBytes; ++i) bytes[i] = page.cells[i / 4];
  page.cells = std::move(bytes);
  page.by_byte = true;
}

bool RaceDetector::known_to(const Access& earlier, const Accessor& who) const {
  const Known& known = who.clock->threads[who.thread & ((1u << kThreadBits) - 1)];
  return known.covers(earlier.thread(), warp_width_, earlier.time);
}

const Access* RaceDetector::read(Shadow& shadow, uint64_t offset, uint32_t size,
                                 const Accessor& who) {
  return shadow.for_cells(offset, size, [&](Cell& cell) -> const Access* {
    if (conflicts(cell.write, who)) return &cell.write;
    remember_read(cell, who);
    return nullptr;
  });
}

const Access* RaceDetector::write(Shadow& shadow, uint64_t offset, uint32_t size,
                                  const Accessor& who) {
  return shadow.for_cells(offset, size, [&](Cell& cell) -> const Access* {
    if (conflicts(cell.write, who)) return &cell.write;
    for (const Access& earlier : cell.reads) {
      if (conflicts(earlier, who)) return &earlier;
    }
    cell.write = made_by(who);
    // Every read before is ordered before this write, so whoever is unordered with one of them is
    // unordered with the write too.
    cell.reads = {};
    return nullptr;
  });
}

/// An earlier read that is ordered before this one is replaced: who is unordered with it is
/// unordered with this one (but a plain read also races with atomics, so an atomic does not replace
/// it). When all places hold unordered reads, one is given
/// up, so that the places keep two lanes of one warp and, where there is one, another warp: then a
/// writing thread finds a reader that is not itself.
void RaceDetector::remember_read(Cell& cell, const Accessor& who) const {
  for (Access& earlier : cell.reads) {
    if (!earlier.present() || (ordered(earlier, who) && (earlier.atomic() || !who.atomic))) {
      earlier = made_by(who);
      return;
    }
  }
  const auto warp = [&](ThreadId thread) { return thread / warp_width_; };
  const uint32_t mine = warp(who.thread);
  if (warp(cell.reads[0].thread()) == mine && warp(cell.reads[1].thread()) == mine) return;
  if (warp(cell.reads[2].thread()) == mine) return;
  const bool other_cta_held = cta_of(cell.reads[2].thread()) != cta_of(cell.reads[0].thread());
  if (!other_cta_held) cell.reads[2] = made_by(who);
}

void RaceDetector::acquire(Shadow& shadow, uint64_t offset, ThreadId thread, CtaClock& clock) {
  const auto at = shadow.published().find(offset / 4);
  if (at == shadow.published().end()) return;
  clock.of(thread, threads_per_cta_).join(at->second, warp_width_);
}

void RaceDetector::release(Shadow& shadow, uint64_t offset, ThreadId thread, CtaClock& clock) {
  Known& published = shadow.published()[offset / 4];
  if (!clock.threads.empty()) published.join(clock.of(thread, threads_per_cta_), warp_width_);
  if (clock.barrier != 0) {
    published.learn(Known::Scope::kCta, thread, warp_width_, clock.barrier);
  }
  published.learn(Known::Scope::kThread, thread, warp_width_, now_);
}

void RaceDetector::cta_barrier(CtaClock& clock) {
  clock.barrier = now_;
  if (clock.threads.empty()) return;
  Known together;
  for (Known& known : clock.threads) {
    known.forget_cta(clock.cta);
    together.join(known, warp_width_);
  }
  if (together.empty()) {
    clock.threads.clear();
    return;
  }
  for (Known& known : clock.threads) known = together;
}

void RaceDetector::arrive(Known& meeting, CtaClock& clock, ThreadId first_lane, uint32_t lanes,
                          bool whole_warp) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const ThreadId thread = first_lane + static_cast<uint32_t>(std::countr_zero(rest));
    if (!clock.threads.empty()) meeting.join(clock.of(thread, threads_per_cta_), warp_width_);
    if (!whole_warp) meeting.learn(Known::Scope::kThread, thread, warp_width_, now_);
  }
  if (whole_warp) meeting.learn(Known::Scope::kWarp, first_lane, warp_width_, now_);
}

void RaceDetector::leave(const Known& meeting, CtaClock& clock, ThreadId first_lane,
                         uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const ThreadId thread = first_lane + static_cast<uint32_t>(std::countr_zero(rest));
    clock.of(thread, threads_per_cta_).join(meeting, warp_width_);
  }
}

}  // namespace warplock::reference_interp
