#include "trace/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "diagnostics/diagnostic.h"
#include "trace/context.h"
#include "trace/validate.h"

namespace warplock::trace {
namespace {

[[noreturn]] void refuse(std::string message) {
  diagnostics::Diagnostic diagnostic;
  diagnostic.klass = "trace";
  diagnostic.file = "comparison";
  diagnostic.message = std::move(message);
  throw diagnostics::InputError(std::move(diagnostic));
}

void check_events(const Trace& trace) {
  if (trace.events.size() >= kNone) refuse("a trace of more than 2^32 - 2 events");
  for (size_t i = 0; i < trace.events.size(); ++i) {
    std::string why = why_invalid(trace, trace.events[i]);
    if (!why.empty()) refuse(fmt::format("event {} of {}: {}", i, trace.executor, why));
  }
}

void check_same(const std::string& left, const std::string& right, const char* what) {
  if (left != right) {
    refuse(fmt::format("the traces are of different {}: \"{}\" and \"{}\"", what, left, right));
  }
}

}  // namespace

Comparison compare(const Trace& left, const Trace& right) {
  check_same(left.kernel, right.kernel, "kernels");
  check_same(left.launch_digest, right.launch_digest, "launches");
  check_same(left.program_digest, right.program_digest, "programs");
  if (left.warp_width != right.warp_width) {
    refuse(
        fmt::format("the traces have warps of {} and {} lanes", left.warp_width, right.warp_width));
  }
  Comparison result;
  Level level = std::min(left.level, right.level);
  if (level == Level::kOff) return result;
  check_events(left);
  check_events(right);
  const bool by_ptx = Side::is_ptx(left) && Side::is_ptx(right);
  Context context(left, right, by_ptx ? level : Level::kMemory, by_ptx);
  FirstDivergence first;
  if (by_ptx) {
    compare_threads(context, result, first);
  } else {
    compare_memory(context, result, first);
  }
  result.divergence = first.take();
  return result;
}

}  // namespace warplock::trace
