#include <sstream>

#include "trace/compare.h"
#include "trace/explain.h"
#include "trace/store.h"

using namespace warplock;

/// Any bytes are a trace or are refused; what is read can be written, read again and compared.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  try {
    trace::Trace first =
        trace::read(std::make_shared<const diagnostics::SourceText>("input", text));
    std::ostringstream out;
    trace::write(out, first);
    trace::Trace second =
        trace::read(std::make_shared<const diagnostics::SourceText>("again", out.str()));
    if (first.events != second.events || first.objects != second.objects) __builtin_trap();
    if (trace::compare(first, second).divergence) __builtin_trap();
    if (second.events.empty()) return 0;
    second.events[size % second.events.size()].value ^= 1;
    trace::Comparison comparison = trace::compare(first, second);
    if (comparison.divergence) trace::explain(first, second, *comparison.divergence, {});
  } catch (const diagnostics::InputError&) {
  }
  return 0;
}
