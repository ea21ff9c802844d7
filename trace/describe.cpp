#include "trace/describe.h"

#include <fmt/format.h>

#include "trace/explain.h"
#include "trace/matching.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

/// The name an index stands for, also when there is no such thing.
std::string register_name(const Trace& trace, const Event& event) {
  if (event.object >= trace.register_names.size()) return fmt::format("register {}", event.object);
  return printable(trace.register_names[event.object]);
}

std::string location(const Trace& trace, const Event& event) {
  std::string name = event.object < trace.objects.size()
                         ? printable(trace.objects[event.object].name)
                         : fmt::format("object {}", event.object);
  return fmt::format("{}+{}", name, event.offset);
}

std::string number(const Trace& trace, uint64_t value, uint32_t width) {
  value &= mask_of(width);
  std::string address = as_address(trace, value, width);
  if (!address.empty()) return fmt::format("{} ({:#x})", address, value);
  return value < 10 ? fmt::format("{}", value) : fmt::format("{} ({:#x})", value, value);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) out += (c >= 0x20 && c < 0x7f) ? c : (c == '\t' ? ' ' : '?');
  return out;
}

std::string clip(std::string text, size_t columns) {
  if (text.size() <= columns) return text;
  text.resize(columns > 3 ? columns - 3 : 0);
  return text + "...";
}

std::string as_address(const Trace& trace, uint64_t value, uint32_t width) {
  for (const Object& object : trace.objects) {
    if (!in_reach(object, value, width)) continue;
    auto offset = static_cast<int64_t>(value - object.base);
    return fmt::format("{}{:+}", printable(object.name), offset);
  }
  return {};
}

std::string effect(const Trace& trace, const Event& e) {
  switch (e.kind) {
    case EventKind::kRegister:
      return fmt::format("{} = {}", register_name(trace, e), number(trace, e.value, e.width));
    case EventKind::kLoad:
      return fmt::format("read {} from {}", number(trace, e.value, e.width), location(trace, e));
    case EventKind::kStore:
      return fmt::format("{} = {}", location(trace, e), number(trace, e.value, e.width));
    case EventKind::kAtomic:
      return fmt::format("{} was {}, operand {}", location(trace, e), number(trace, e.old, e.width),
                         number(trace, e.value, e.width));
    case EventKind::kBranch:
      return e.value == 0 ? "not taken" : fmt::format("taken to instruction {}", e.value - 1);
    case EventKind::kBarrierArrive:
      return fmt::format("arrives at barrier {}", e.value);
    case EventKind::kBarrierRelease:
      return fmt::format("leaves barrier {}", e.value);
    case EventKind::kExit:
      return "exits";
  }
  return "unknown event";
}

std::string instruction_line(const Trace& trace, const Event& event, size_t columns) {
  if (event.instruction >= trace.instructions.size()) {
    return fmt::format("instruction {}", event.instruction);
  }
  const Instruction& instruction = trace.instructions[event.instruction];
  std::string out;
  if (instruction.ptx_line) out += fmt::format("ptx:{} ", instruction.ptx_line);
  if (instruction.cuda_line) out += fmt::format("cuda:{} ", instruction.cuda_line);
  if (!out.empty()) out += ' ';
  return out + clip(printable(instruction.text), columns);
}

std::string describe(const Trace& trace, const Event& event) {
  constexpr size_t kTextColumns = 40;
  return fmt::format("cta {} thread {}  {}  {}", event.cta, event.thread,
                     instruction_line(trace, event, kTextColumns), effect(trace, event));
}

}  // namespace warplock::trace
