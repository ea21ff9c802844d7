#pragma once

#include <optional>

#include "executor/external_answer.h"
#include "executor/located_json.h"
#include "trace/event.h"

namespace warplock::executor {

/// The trace that the "events" of an answer tell, with the addresses that its "addresses" gave to
/// buffers and variables. Throws `InputError` with the place of an event that cannot be: an unknown
/// line, a thread that the launch does not have, an offset outside its buffer.
trace::Trace read_events(const JsonValue& events, const std::optional<JsonValue>& addresses,
                         const ExternalRequest& request);

/// A trace without events: what an answer without them leaves.
trace::Trace empty_trace(const ExternalRequest& request, trace::Level level);

}  // namespace warplock::executor
