#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "circuit/isa.h"
#include "diagnostics/diagnostic.h"

namespace warplock::weights {

/// A machine's specification as JSON, the form of --machine SPEC.json.
nlohmann::ordered_json machine_json(const circuit::MachineSpec& spec);

/// Reads one; members that are left out have their default. Throws diagnostics::InputError (class
/// "syntax" or `klass`) with the place.
circuit::MachineSpec read_machine(std::shared_ptr<const diagnostics::SourceText> source,
                                  const std::string& klass = "machine");

}  // namespace warplock::weights
