#include "trace/validate.h"

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::trace {

std::string why_invalid(const Trace& trace, const Event& event) {
  if (event.kind > EventKind::kExit) return "an unknown kind of event";
  if (event.space > Space::kLocal) return "an unknown space";
  if (event.instruction >= trace.instructions.size()) {
    return fmt::format("instruction {} of {}", event.instruction, trace.instructions.size());
  }
  if (trace.level == Level::kOff) return "an event in a trace of level \"off\"";
  bool is_register = event.kind == EventKind::kRegister;
  if (is_register && trace.level != Level::kRegisters) {
    return fmt::format("a register event in a trace of level \"{}\"", spelling(trace.level));
  }
  if (is_register && event.object >= trace.register_names.size()) {
    return fmt::format("register {} of {}", event.object, trace.register_names.size());
  }
  if (!is_memory(event.kind)) {
    if (event.width > 8) return fmt::format("a width of {} bytes", event.width);
    if (is_register && event.width == 0) return "a width of 0 bytes";
    return {};
  }
  if (event.object >= trace.objects.size()) {
    return fmt::format("object {} of {}", event.object, trace.objects.size());
  }
  if (event.width == 0 || event.width > 8) return fmt::format("a width of {} bytes", event.width);
  uint64_t size = trace.objects[event.object].size;
  if (event.offset > size || size - event.offset < event.width) {
    return fmt::format("offset {} and {} bytes in \"{}\", which has {} bytes", event.offset,
                       event.width, trace.objects[event.object].name, size);
  }
  return {};
}

}  // namespace warplock::trace
