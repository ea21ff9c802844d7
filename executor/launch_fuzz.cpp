// Launch files as arbitrary bytes: parsed or refused, and what is parsed survives being written.
#include <cstdint>
#include <cstdlib>

#include "executor/launch.h"

using warplock::diagnostics::InputError;
using warplock::diagnostics::SourceText;
using warplock::executor::Launch;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A folder that does not exist, so that no relative file of a buffer does.
  auto source = std::make_shared<const SourceText>(
      "/nonexistent/launch.json", std::string(reinterpret_cast<const char*>(data), size));
  Launch launch;
  try {
    launch = warplock::executor::parse_launch(source);
  } catch (const InputError& error) {
    const auto& first = error.diagnostics().front();
    if (first.position.line == 0 || first.position.column == 0) std::abort();
    return 0;
  }
  for (bool one_line : {false, true}) {
    std::string text = one_line ? to_json_line(launch) : to_json(launch);
    Launch back = warplock::executor::parse_launch(
        std::make_shared<const SourceText>("/nonexistent/launch.json", std::move(text)));
    if (digest(back) != digest(launch)) std::abort();
    if (!one_line && back.expect != launch.expect) std::abort();
  }
  return 0;
}
