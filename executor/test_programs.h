#pragma once

#include <memory>
#include <string>

#include "executor/digest.h"
#include "executor/executor.h"
#include "ptx/parse.h"

/// What the tests of this folder run.
namespace warplock::executor {

inline Program program_from(const std::string& path) {
  Program program;
  auto source = diagnostics::read_source(path);
  program.digest = digest_of(source->text());
  program.ptx_path = path;
  program.module = ptx::parse(std::move(source));
  return program;
}

inline Program vector_add() {
  return program_from(WARPLOCK_SOURCE_DIR "/executor/examples/vector_add.ptx");
}

inline Launch vector_add_launch() {
  return parse_launch(
      diagnostics::read_source(WARPLOCK_SOURCE_DIR "/executor/examples/vector_add.json"));
}

/// The launch above for executors that behave as the entry says.
inline Launch launch_of(const std::string& entry) {
  Launch launch = vector_add_launch();
  launch.entry = entry;
  return launch;
}

}  // namespace warplock::executor
