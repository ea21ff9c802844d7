#include <ostream>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trace/spelling.h"
#include "trace/store.h"
#include "trace/stored_form.h"
#include "trace/validate.h"

namespace warplock::trace {
namespace {

/// A JSON string; bytes that are not UTF-8 become U+FFFD.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Names already quoted, and for each whether it is the first of that name: only a later one needs
/// its index in an event.
struct Names {
  std::vector<std::string> quoted_names;
  std::vector<bool> is_first;

  void add(const std::string& name) {
    quoted_names.push_back(quoted(name));
    is_first.push_back(seen_.emplace(quoted_names.back(), true).second);
  }

 private:
  std::unordered_map<std::string, bool> seen_;
};

void append_header(std::string& out, const Trace& trace) {
  auto put = std::back_inserter(out);
  fmt::format_to(put, R"({{"format":"{}","version":{},"executor":{},"executor_version":{},)",
                 stored_form::kFormat, stored_form::kVersion, quoted(trace.executor),
                 quoted(trace.executor_version));
  fmt::format_to(put, R"("device":{},"kernel":{},"launch":{},"program":{},)", quoted(trace.device),
                 quoted(trace.kernel), quoted(trace.launch_digest), quoted(trace.program_digest));
  fmt::format_to(put, R"("ptx_file":{},"cuda_file":{},"level":"{}","warp_width":{},"events":{},)",
                 quoted(trace.ptx_file), quoted(trace.cuda_file), spelling(trace.level),
                 trace.warp_width, trace.events.size());
  out += "\"objects\":[";
  const char* comma = "";
  for (const Object& object : trace.objects) {
    fmt::format_to(put, R"({}{{"name":{},"space":"{}","base":{},"size":{},"reach":{}}})", comma,
                   quoted(object.name), spelling(object.space), object.base, object.size,
                   object.reach);
    comma = ",";
  }
  out += "],\"registers\":[";
  comma = "";
  for (const std::string& name : trace.register_names) {
    out += comma;
    out += quoted(name);
    comma = ",";
  }
  out += "],\"instructions\":[";
  comma = "";
  for (const Instruction& instruction : trace.instructions) {
    fmt::format_to(put, "{}{{", comma);
    if (instruction.ptx_index != kNoPtxIndex) {
      fmt::format_to(put, R"("ptx":{},)", instruction.ptx_index);
    }
    fmt::format_to(put, R"("line":{},"cuda":{},"text":{}{}}})", instruction.ptx_line,
                   instruction.cuda_line, quoted(instruction.text),
                   instruction.elided ? R"(,"elided":1)" : "");
    comma = ",";
  }
  out += "]}\n";
}

void append_event(std::string& out, const Trace& trace, const Event& e, const Names& objects,
                  const Names& registers) {
  auto put = std::back_inserter(out);
  fmt::format_to(put, R"({{"c":{},"t":{},"i":{},"n":{},"k":"{}")", e.cta, e.thread, e.instruction,
                 e.occurrence, spelling(e.kind));
  auto number = [&](const char* key, uint64_t value, bool always) {
    if (always || value != 0) fmt::format_to(put, R"(,"{}":{})", key, value);
  };
  bool memory = is_memory(e.kind);
  bool named = memory || e.kind == EventKind::kRegister;
  Space own_space = Space::kNone;
  bool by_index = e.object != 0;
  if (named) {
    const Names& names = memory ? objects : registers;
    fmt::format_to(put, R"(,"{}":{})", memory ? "o" : "r", names.quoted_names[e.object]);
    if (memory) own_space = trace.objects[e.object].space;
    by_index = !names.is_first[e.object];
  }
  number("x", e.object, by_index);
  if (e.space != own_space) fmt::format_to(put, R"(,"s":"{}")", spelling(e.space));
  number("at", e.offset, memory);
  number("w", e.width, named);
  number("e", e.element, false);
  number("v", e.value, e.kind != EventKind::kExit);
  number("old", e.old, e.kind == EventKind::kAtomic);
  out += "}\n";
}

}  // namespace

void write(std::ostream& out, const Trace& trace) {
  constexpr size_t kFlushAt = size_t{1} << 20;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    std::string why = why_invalid(trace, trace.events[i]);
    if (why.empty()) continue;
    diagnostics::Diagnostic diagnostic;
    diagnostic.klass = "trace";
    diagnostic.file = trace.executor;
    diagnostic.message = fmt::format("event {} cannot be stored: {}", i, why);
    throw diagnostics::InputError(std::move(diagnostic));
  }
  Names objects, registers;
  for (const Object& object : trace.objects) objects.add(object.name);
  for (const std::string& name : trace.register_names) registers.add(name);
  std::string buffer;
  append_header(buffer, trace);
  for (const Event& event : trace.events) {
    append_event(buffer, trace, event, objects, registers);
    if (buffer.size() >= kFlushAt) {
      out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      buffer.clear();
    }
  }
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

}  // namespace warplock::trace
