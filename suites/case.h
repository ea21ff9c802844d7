#pragma once

#include <string>

#include "executor/executor.h"

namespace warplock::suites {

/// One launch of one program, with what the report calls it.
struct Case {
  std::string kernel;
  std::string family;  ///< empty for a launch of the user's own
  std::string input;
  executor::Program program;
  executor::Launch launch;
  /// Who says what `launch.expect` holds: "host" for the suite's functions, "expect" for a launch
  /// file.
  std::string expect_source = "expect";
};

}  // namespace warplock::suites
