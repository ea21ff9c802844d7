#include "executor/external_events.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::executor {
namespace {

using trace::EventKind;

constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
constexpr const char* kDynamicShared = "dynamic shared";
/// A thread's local memory as one object, as large as hardware lets it be.
constexpr const char* kLocal = "local";
constexpr uint64_t kLocalBytes = 512 * 1024;
/// Where an object stands whose address the executor did not tell: far from every number that a
/// program is likely to compute, which would otherwise be taken for a pointer.
constexpr uint64_t kUnknownAddress = 0x7a5e'9b31'0000'0000;
constexpr uint32_t kUnknownShift = 36;

/// The fields of one event as they stand in the text.
struct Fields {
  std::optional<JsonValue> kind, cta, thread, line, instruction, buffer, offset, width, element,
      value, old, taken, reg;
};

Fields read_fields(const JsonValue& event) {
  Fields fields;
  const std::pair<const char*, std::optional<JsonValue> Fields::*> table[] = {
      {"kind", &Fields::kind},
      {"cta", &Fields::cta},
      {"thread", &Fields::thread},
      {"line", &Fields::line},
      {"instruction", &Fields::instruction},
      {"buffer", &Fields::buffer},
      {"offset", &Fields::offset},
      {"width", &Fields::width},
      {"element", &Fields::element},
      {"value", &Fields::value},
      {"old", &Fields::old},
      {"taken", &Fields::taken},
      {"register", &Fields::reg}};
  for (const auto& member : event.members(
           "an event", {"kind", "cta", "thread", "line", "instruction", "buffer", "offset", "width",
                        "element", "value", "old", "taken", "register"})) {
    const std::string& key = member.first.string("a key");
    for (const auto& [name, slot] : table) {
      if (key == name) fields.*slot = member.second;
    }
  }
  return fields;
}

/// Where an instruction of the module stands.
struct Place {
  const ptx::Function* function;
  const ptx::Instruction* instruction;
};

class EventReader {
 public:
  explicit EventReader(const ExternalRequest& request)
      : request_(request), trace_(empty_trace(request, request.level)) {
    for (const ptx::Function& function : request.program.module->functions) {
      for (const ptx::Instruction& instruction : function.body) {
        by_line_.emplace(instruction.position.line, Place{&function, &instruction});
        by_id_.emplace(instruction.id, Place{&function, &instruction});
      }
    }
    for (uint32_t i = 0; i < trace_.objects.size(); ++i)
      objects_.emplace(trace_.objects[i].name, i);
  }

  void read_addresses(const JsonValue& addresses) {
    for (const auto& member : addresses.members("\"addresses\"")) {
      auto object = objects_.find(member.first.string("a key"));
      if (object == objects_.end()) {
        throw member.first.error("there is no such buffer, variable or \"dynamic shared\"");
      }
      trace_.objects[object->second].base = member.second.integer(0, kAny, "an address");
    }
  }

  trace::Trace read(const JsonValue& events) {
    for (const JsonValue& event : events.elements("\"events\"")) read_event(event);
    return std::move(trace_);
  }

 private:
  void read_event(const JsonValue& value) {
    Fields fields = read_fields(value);
    const std::string& word = need(value, fields.kind, "kind").string("\"kind\"");
    std::optional<EventKind> kind = trace::kind_from(word);
    if (!kind) {
      throw fields.kind->error(
          "\"kind\" is one of \"load\", \"store\", \"atom\", \"branch\", \"arrive\", \"release\", "
          "\"exit\" and \"reg\"");
    }
    if (*kind == EventKind::kRegister && request_.level != trace::Level::kRegisters) {
      throw fields.kind->error("a register event where none was asked for");
    }
    trace::Event event;
    event.kind = *kind;
    event.thread =
        static_cast<uint32_t>(need(value, fields.thread, "thread")
                                  .integer(0, request_.launch.threads_per_cta() - 1, "\"thread\""));
    event.cta =
        static_cast<uint32_t>(integer_or(fields.cta, 0, 0, request_.launch.ctas() - 1, "\"cta\""));
    event.element = static_cast<uint8_t>(integer_or(fields.element, 0, 0, 255, "\"element\""));
    Place place = find_instruction(value, fields);
    event.instruction = static_index(place);
    switch (event.kind) {
      case EventKind::kRegister:
        read_register(value, fields, place, event);
        break;
      case EventKind::kLoad:
      case EventKind::kStore:
      case EventKind::kAtomic:
        read_access(value, fields, event);
        break;
      case EventKind::kBranch:
        read_branch(value, fields, place, event);
        break;
      case EventKind::kBarrierArrive:
      case EventKind::kBarrierRelease:
        event.value = integer_or(fields.value, 0, 0, 15, "\"value\"");
        break;
      case EventKind::kExit:
        break;
    }
    event.occurrence = occurrence(event);
    trace_.events.push_back(event);
  }

  static const JsonValue& need(const JsonValue& event, const std::optional<JsonValue>& field,
                               const char* name) {
    if (!field) throw event.error(fmt::format("the event has no \"{}\"", name));
    return *field;
  }

  static uint64_t integer_or(const std::optional<JsonValue>& field, uint64_t absent, int64_t low,
                             uint64_t high, std::string_view what) {
    return field ? field->integer(low, high, what) : absent;
  }

  static uint64_t bits(const JsonValue& value, uint32_t width, std::string_view what) {
    return value.integer(std::numeric_limits<int64_t>::min(), kAny, what) & trace::mask_of(width);
  }

  Place find_instruction(const JsonValue& value, const Fields& fields) const {
    if (fields.instruction) {
      auto found = by_id_.find(
          static_cast<uint32_t>(fields.instruction->integer(0, ptx::kNoIndex, "\"instruction\"")));
      if (found == by_id_.end())
        throw fields.instruction->error("the module has no such instruction");
      return found->second;
    }
    const JsonValue& line = need(value, fields.line, "line");
    auto number = static_cast<uint32_t>(line.integer(1, ptx::kNoIndex, "\"line\""));
    auto [first, last] = by_line_.equal_range(number);
    if (first == last)
      throw line.error(fmt::format("line {} of the PTX has no instruction", number));
    if (std::next(first) != last) {
      throw line.error(fmt::format(
          "line {} of the PTX has several instructions: give \"instruction\" instead", number));
    }
    return first->second;
  }

  /// The index into the trace's instructions, which hold only those that have events.
  uint32_t static_index(const Place& place) {
    auto [found, is_new] =
        static_.emplace(place.instruction->id, static_cast<uint32_t>(trace_.instructions.size()));
    if (is_new) {
      trace::Instruction entry;
      entry.ptx_index = place.instruction->id;
      entry.ptx_line = place.instruction->position.line;
      entry.cuda_line = place.instruction->cuda.line;
      entry.text = ptx::to_text(*request_.program.module, *place.function, *place.instruction);
      trace_.instructions.push_back(std::move(entry));
    }
    return found->second;
  }

  void read_register(const JsonValue& value, const Fields& fields, const Place& place,
                     trace::Event& event) {
    const JsonValue& field = need(value, fields.reg, "register");
    const std::string& name = field.string("\"register\"");
    const auto& registers = place.function->registers;
    auto declared = std::find_if(registers.begin(), registers.end(),
                                 [&](const ptx::Register& r) { return r.name == name; });
    if (declared == registers.end()) {
      throw field.error(fmt::format("\"{}\" has no register \"{}\"", place.function->name, name));
    }
    auto [found, is_new] =
        registers_.emplace(name, static_cast<uint32_t>(trace_.register_names.size()));
    if (is_new) trace_.register_names.push_back(name);
    event.object = found->second;
    event.width = static_cast<uint8_t>(std::min(ptx::bytes(declared->type), 8u));
    event.value = bits(need(value, fields.value, "value"), event.width, "\"value\"");
  }

  void read_access(const JsonValue& value, const Fields& fields, trace::Event& event) {
    const JsonValue& buffer = need(value, fields.buffer, "buffer");
    auto object = objects_.find(buffer.string("\"buffer\""));
    if (object == objects_.end()) {
      throw buffer.error("there is no such buffer, variable or \"dynamic shared\"");
    }
    event.object = object->second;
    event.space = trace_.objects[event.object].space;
    event.width = static_cast<uint8_t>(integer_or(fields.width, 4, 1, 8, "\"width\""));
    if ((event.width & (event.width - 1)) != 0)
      throw fields.width->error("\"width\" is 1, 2, 4 or 8");
    uint64_t size = trace_.objects[event.object].size;
    const JsonValue& offset = need(value, fields.offset, "offset");
    event.offset = offset.integer(0, kAny, "\"offset\"");
    if (size < event.width || event.offset > size - event.width) {
      throw offset.error(fmt::format("\"offset\" lies outside of the {} bytes of \"{}\"", size,
                                     trace_.objects[event.object].name));
    }
    event.value = bits(need(value, fields.value, "value"), event.width, "\"value\"");
    if (event.kind == EventKind::kAtomic) {
      event.old = bits(need(value, fields.old, "old"), event.width, "\"old\"");
    }
  }

  /// "taken" is enough for bra; brx.idx names the instruction index it went to in "value".
  void read_branch(const JsonValue& value, const Fields& fields, const Place& place,
                   trace::Event& event) {
    if (!fields.taken) {
      event.value = bits(need(value, fields.value, "value"), 8, "\"value\"");
      return;
    }
    if (!fields.taken->boolean("\"taken\"")) return;
    const auto& sources = place.instruction->sources;
    if (sources.size() != 1 || sources[0].kind != ptx::Operand::Kind::kLabel) {
      throw fields.taken->error("\"taken\" is for bra; give \"value\" for this instruction");
    }
    event.value = 1 + branch_target(*place.function, sources[0].index);
  }

  static uint64_t branch_target(const ptx::Function& function, uint32_t index) {
    if (index < function.body.size()) return function.body[index].id;
    return function.body.empty() ? 0 : uint64_t{function.body.back().id} + 1;
  }

  /// How often the thread executed the instruction before. The events of one execution differ in
  /// kind or element and have nothing of another instruction between them.
  uint32_t occurrence(const trace::Event& event) {
    uint64_t thread = uint64_t{event.cta} << 32 | event.thread;
    Current& current = current_[thread];
    uint32_t mark = uint32_t{static_cast<uint8_t>(event.kind)} << 8 | event.element;
    bool same = current.instruction == event.instruction &&
                std::find(current.marks.begin(), current.marks.end(), mark) == current.marks.end();
    if (!same) {
      current.instruction = event.instruction;
      current.marks.clear();
      uint64_t& count = current.counts[event.instruction];
      current.occurrence = static_cast<uint32_t>(count++);
    }
    current.marks.push_back(mark);
    return current.occurrence;
  }

  struct Current {
    uint32_t instruction = ptx::kNoIndex;
    uint32_t occurrence = 0;
    std::vector<uint32_t> marks;
    std::unordered_map<uint32_t, uint64_t> counts;
  };

  const ExternalRequest& request_;
  trace::Trace trace_;
  std::unordered_multimap<uint32_t, Place> by_line_;
  std::unordered_map<uint32_t, Place> by_id_;
  std::unordered_map<std::string, uint32_t> objects_, registers_;
  std::unordered_map<uint32_t, uint32_t> static_;
  std::unordered_map<uint64_t, Current> current_;
};

trace::Object object(std::string name, trace::Space space, uint64_t size) {
  trace::Object out;
  out.name = std::move(name);
  out.space = space;
  out.size = size;
  return out;
}

}  // namespace

trace::Trace empty_trace(const ExternalRequest& request, trace::Level level) {
  const ptx::Module& module = *request.program.module;
  trace::Trace trace;
  trace.executor = request.executor;
  trace.kernel = request.launch.entry;
  trace.launch_digest = digest(request.launch);
  trace.program_digest = request.program.digest;
  trace.ptx_file = request.program.ptx_path;
  trace.cuda_file = request.program.cuda_path.value_or("");
  trace.level = level;
  trace.warp_width = request.launch.warp_width;
  for (const Argument& argument : request.launch.arguments) {
    if (!argument.is_buffer) continue;
    trace.objects.push_back(
        object(argument.name, trace::Space::kGlobal, uint64_t{4} * argument.words.size()));
  }
  std::vector<const ptx::Variable*> variables;
  for (const ptx::Variable& variable : module.variables) {
    bool wanted = variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst ||
                  variable.space == ptx::Space::kShared;
    if (wanted && variable.size > 0) variables.push_back(&variable);
  }
  std::sort(variables.begin(), variables.end(),
            [](const ptx::Variable* a, const ptx::Variable* b) { return a->name < b->name; });
  for (const ptx::Variable* variable : variables) {
    bool shared = variable->space == ptx::Space::kShared;
    trace.objects.push_back(object(
        variable->name, shared ? trace::Space::kShared : trace::Space::kGlobal, variable->size));
  }
  if (request.launch.shared_bytes > 0) {
    trace.objects.push_back(
        object(kDynamicShared, trace::Space::kShared, request.launch.shared_bytes));
  }
  bool has_local = std::any_of(module.variables.begin(), module.variables.end(),
                               [](const auto& v) { return v.space == ptx::Space::kLocal; });
  if (has_local) trace.objects.push_back(object(kLocal, trace::Space::kLocal, kLocalBytes));
  for (size_t i = 0; i < trace.objects.size(); ++i) {
    trace.objects[i].base = kUnknownAddress + (uint64_t{i} << kUnknownShift);
  }
  return trace;
}

trace::Trace read_events(const JsonValue& events, const std::optional<JsonValue>& addresses,
                         const ExternalRequest& request) {
  EventReader reader(request);
  if (addresses) reader.read_addresses(*addresses);
  return reader.read(events);
}

}  // namespace warplock::executor
