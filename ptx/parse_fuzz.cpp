#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "ptx/module_difference.h"
#include "ptx/parse.h"
#include "ptx/print.h"

/// Any bytes are a module or are refused with diagnostics; what is a module is printed into text
/// that is the same module.
namespace {

using warplock::diagnostics::InputError;
using warplock::diagnostics::SourceText;

[[noreturn]] void give_up(const std::string& what, const std::string& printed) {
  std::fprintf(stderr, "%s\n--- printed:\n%s\n", what.c_str(), printed.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source =
      std::make_shared<SourceText>("input", std::string(reinterpret_cast<const char*>(data), size));
  std::shared_ptr<const warplock::ptx::Module> module;
  try {
    module = warplock::ptx::parse(source);
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      if (diagnostic.klass.empty() || diagnostic.message.empty() || diagnostic.position.line == 0) {
        give_up("a diagnostic without class, message or place", diagnostic.message);
      }
    }
    warplock::diagnostics::render(error.diagnostics());
    return 0;
  }
  std::string printed = warplock::ptx::print(*module);
  try {
    auto again = warplock::ptx::parse(std::make_shared<SourceText>("printed", printed));
    std::string difference = warplock::ptx::first_difference(*module, *again);
    if (!difference.empty()) give_up("the printed module differs: " + difference, printed);
  } catch (const InputError& error) {
    give_up(warplock::diagnostics::render(error.diagnostics()), printed);
  }
  return 0;
}
