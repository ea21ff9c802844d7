#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "executor/executor.h"

namespace warplock::executor {

/// What an answer is checked against.
struct ExternalRequest {
  const Program& program;
  const Launch& launch;
  trace::Level level;    ///< what was asked for
  std::string executor;  ///< "external:NAME"
};

/// One line of an external executor.
struct ExternalAnswer {
  uint64_t id = 0;
  Outcome outcome;
};

/// Reads an answer; the outcome is only filled when its id is `expected_id`. Throws `InputError`
/// for everything that docs/external-executors.md does not allow.
ExternalAnswer parse_answer(std::string line, uint64_t expected_id, const ExternalRequest& request);

}  // namespace warplock::executor
