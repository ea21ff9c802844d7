#include "trace/spelling.h"

#include <array>
#include <cstddef>

namespace warplock::trace {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kLevels{"off", "memory", "registers"};
constexpr std::array<std::string_view, 8> kKinds{"reg",    "load",   "store",   "atom",
                                                 "branch", "arrive", "release", "exit"};
constexpr std::array<std::string_view, 4> kSpaces{"none", "global", "shared", "local"};

template <typename T, size_t N>
std::optional<T> find(const std::array<std::string_view, N>& words, std::string_view word) {
  for (size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<T>(i);
  }
  return std::nullopt;
}

template <typename T, size_t N>
std::string_view at(const std::array<std::string_view, N>& words, T value) {
  auto index = static_cast<size_t>(value);
  return index < N ? words[index] : std::string_view("?");
}

}  // namespace

std::string_view spelling(Level level) {
  return at(kLevels, level);
}
std::string_view spelling(EventKind kind) {
  return at(kKinds, kind);
}
std::string_view spelling(Space space) {
  return at(kSpaces, space);
}

std::optional<Level> level_from(std::string_view word) {
  return find<Level>(kLevels, word);
}
std::optional<EventKind> kind_from(std::string_view word) {
  return find<EventKind>(kKinds, word);
}
std::optional<Space> space_from(std::string_view word) {
  return find<Space>(kSpaces, word);
}

}  // namespace warplock::trace
