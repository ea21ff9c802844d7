#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/executor.h"

/// Somebody else's implementation of PTX, by the line protocol of docs/external-executors.md.
namespace warplock::executor {

struct ExternalDefinition {
  std::string name;
  std::vector<std::string> command;
  std::vector<uint32_t> warp_widths{4, 32};
  trace::Level max_level = trace::Level::kOff;
  double timeout_seconds = 20;
};

/// Reads executors.json. Throws `InputError` with the place of what is wrong.
std::map<std::string, ExternalDefinition> parse_external_definitions(
    std::shared_ptr<const diagnostics::SourceText> source);

/// The executor `external:NAME`. A crash, a hang, a broken line, an answer twice or a flood costs
/// only the request it concerns.
std::unique_ptr<Executor> make_external(const ExternalDefinition& definition);

}  // namespace warplock::executor
