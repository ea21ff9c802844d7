#pragma once

#include <iosfwd>
#include <memory>

#include "diagnostics/diagnostic.h"
#include "trace/event.h"

namespace warplock::trace {

/// Writes the stored form: JSON Lines, a header and then one event a line (docs/trace.md).
void write(std::ostream& out, const Trace& trace);

/// Reads it back. Throws `InputError` with the line and column of what is wrong; a trace whose last
/// line is cut off, or whose count of events is not the header's, is refused.
Trace read(std::shared_ptr<const diagnostics::SourceText> source);

}  // namespace warplock::trace
