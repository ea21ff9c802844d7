#pragma once

#include <optional>
#include <string_view>

#include "trace/event.h"

/// The words that the stored form and the messages use.
namespace warplock::trace {

std::string_view spelling(Level level);     ///< "off", "memory", "registers"
std::string_view spelling(EventKind kind);  ///< "reg", "load", "store", "atom", "branch", ...
std::string_view spelling(Space space);     ///< "none", "global", "shared", "local"

std::optional<Level> level_from(std::string_view word);
std::optional<EventKind> kind_from(std::string_view word);
std::optional<Space> space_from(std::string_view word);

inline bool is_memory(EventKind kind) {
  return kind == EventKind::kLoad || kind == EventKind::kStore || kind == EventKind::kAtomic;
}
inline bool is_write(EventKind kind) {
  return kind == EventKind::kStore || kind == EventKind::kAtomic;
}
inline bool is_read(EventKind kind) {
  return kind == EventKind::kLoad || kind == EventKind::kAtomic;
}

/// The bits that count in a value of `bytes` bytes.
constexpr uint64_t mask_of(uint32_t bytes) {
  return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
}

}  // namespace warplock::trace
