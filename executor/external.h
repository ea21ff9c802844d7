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

/// Empty when the command of the definition can be started here, else the reason.
std::string why_missing(const ExternalDefinition& definition);

/// The executor `external:NAME`. A crash, a hang, a broken line, an answer twice or a flood costs
/// only the request it concerns: the process is then killed, and started anew for the next one. A
/// command that cannot be started gives kError. One request runs at a time; calls from several
/// threads wait for each other.
std::unique_ptr<Executor> make_external(const ExternalDefinition& definition);

}  // namespace warplock::executor
