#include "reference_interp/known.h"

#include <algorithm>
#include <utility>

namespace warplock::reference_interp {
namespace {

constexpr uint32_t kScopeShift = 30;
constexpr uint32_t kIdMask = (1u << kScopeShift) - 1;
constexpr uint32_t kThreadMask = (1u << kThreadBits) - 1;

}  // namespace

uint32_t Known::key(Scope scope, ThreadId thread, uint32_t warp_width) {
  uint32_t id = thread;
  if (scope == Scope::kCta) id &= ~kThreadMask;
  if (scope == Scope::kWarp) id -= (thread & kThreadMask) % warp_width;
  return static_cast<uint32_t>(scope) << kScopeShift | id;
}

uint64_t Known::time_of(uint32_t entry_key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), entry_key,
                                   [](const Entry& e, uint32_t k) { return e.key < k; });
  return at != entries_.end() && at->key == entry_key ? at->time : 0;
}

bool Known::covers(ThreadId thread, uint32_t warp_width, uint64_t time) const {
  if (everything_ >= time) return true;
  for (Scope scope : {Scope::kCta, Scope::kWarp, Scope::kThread}) {
    if (time_of(key(scope, thread, warp_width)) >= time) return true;
  }
  return false;
}

void Known::raise(uint32_t entry_key, uint64_t time) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), entry_key,
                                   [](const Entry& e, uint32_t k) { return e.key < k; });
  if (at != entries_.end() && at->key == entry_key) {
    at->time = std::max(at->time, time);
  } else {
    entries_.insert(at, Entry{entry_key, time});
  }
}

void Known::learn(Scope scope, ThreadId thread, uint32_t warp_width, uint64_t time) {
  if (time <= everything_) return;
  raise(key(scope, thread, warp_width), time);
  if (entries_.size() > kMaxEntries) widen(warp_width);
}

void Known::join(const Known& other, uint32_t warp_width) {
  everything_ = std::max(everything_, other.everything_);
  if (other.entries_.empty()) return;
  std::vector<Entry> merged;
  merged.reserve(entries_.size() + other.entries_.size());
  auto left = entries_.begin();
  auto right = other.entries_.begin();
  while (left != entries_.end() || right != other.entries_.end()) {
    if (right == other.entries_.end() || (left != entries_.end() && left->key < right->key)) {
      merged.push_back(*left++);
    } else if (left == entries_.end() || right->key < left->key) {
      merged.push_back(*right++);
    } else {
      merged.push_back({left->key, std::max(left->time, right->time)});
      ++left;
      ++right;
    }
  }
  entries_ = std::move(merged);
  if (entries_.size() > kMaxEntries) widen(warp_width);
}

void Known::forget_cta(uint32_t cta) {
  std::erase_if(entries_, [&](const Entry& e) { return cta_of(e.key & kIdMask) == cta; });
}

void Known::clear() {
  entries_.clear();
  everything_ = 0;
}

void Known::widen(uint32_t warp_width) {
  for (Scope from : {Scope::kThread, Scope::kWarp}) {
    const Scope to = from == Scope::kThread ? Scope::kWarp : Scope::kCta;
    const std::vector<Entry> old = std::exchange(entries_, {});
    for (const Entry& e : old) {
      const bool widened = e.key >> kScopeShift == static_cast<uint32_t>(from);
      raise(widened ? key(to, e.key & kIdMask, warp_width) : e.key, e.time);
    }
    // Half, so that the next few entries do not widen again at once.
    if (entries_.size() <= kMaxEntries / 2) return;
  }
  for (const Entry& e : entries_) everything_ = std::max(everything_, e.time);
  entries_.clear();
}

}  // namespace warplock::reference_interp
