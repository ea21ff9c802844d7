#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/event.h"

/// Pieces of text that `describe` and `explain` share.
namespace warplock::trace {

/// Only printable ASCII, so that no name or source line can move the cursor or widen a line.
std::string printable(std::string_view text);
/// At most `columns` characters; what is cut off ends in "...".
std::string clip(std::string text, size_t columns);

/// "%r5 = 7 (0x7)", "out+4 = 7 (0x7)", "out+4: 6 (0x6), applied 1", "taken to instruction 7".
std::string effect(const Trace& trace, const Event& event);
/// "ptx:41 cuda:12  add.u32 %r5, %r4, 1", the text in at most `columns` characters.
std::string instruction_line(const Trace& trace, const Event& event, size_t columns);
/// The value as an address, "out+16", or empty when it is none.
std::string as_address(const Trace& trace, uint64_t value, uint32_t width);

}  // namespace warplock::trace
