#pragma once

#include <cstdint>
#include <string_view>

/// What writer and reader of the stored form agree on (docs/trace.md has the keys).
namespace warplock::trace::stored_form {

constexpr std::string_view kFormat = "warplock trace";
constexpr uint32_t kVersion = 1;

}  // namespace warplock::trace::stored_form
