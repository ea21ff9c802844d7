#pragma once

#include <string>

#include "suites/runner.h"

namespace warplock::suites {

/// Writes what is needed to see a failure again into FOLDER/KERNEL.INPUT.wWIDTH/: the launch, the
/// PTX, and every executor's trace. Sets `reproduce` of the case's failed tests. Nothing is written
/// for a case without failures.
void write_bundle(const std::string& folder, const Case& test, CaseResult& result);

}  // namespace warplock::suites
