#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "trace/json_line.h"
#include "trace/spelling.h"
#include "trace/store.h"
#include "trace/stored_form.h"
#include "trace/validate.h"

namespace warplock::trace {
namespace {

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMax32 = std::numeric_limits<uint32_t>::max();

using Node = JsonLine::Node;

/// Reads one object's members: each known key at most once (the parser sees to that), no others.
class Reader {
 public:
  explicit Reader(std::shared_ptr<const diagnostics::SourceText> source)
      : source_(std::move(source)), line_(*source_), rest_(source_->text()) {}

  Trace read() {
    if (!next_line()) fail_at_end("the text is empty; a trace starts with a header");
    header();
    // Even the shortest event takes more bytes than this: a made-up count reserves nothing.
    constexpr size_t kLeastEventBytes = 30;
    trace_.events.reserve(std::min<uint64_t>(declared_events_, rest_.size() / kLeastEventBytes));
    while (next_line()) {
      if (trace_.events.size() == declared_events_) {
        line_.fail(line_.root(), fmt::format("more events than the header's {}", declared_events_));
      }
      event();
    }
    if (trace_.events.size() != declared_events_) {
      fail_at_end(fmt::format("{} events, but the header promises {}", trace_.events.size(),
                              declared_events_));
    }
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail_at_end(std::string message) {
    diagnostics::Position end = source_->position(source_->text().size());
    throw diagnostics::InputError(
        diagnostics::error_at(*source_, end, "trace", std::move(message)));
  }

  bool next_line() {
    if (rest_.empty()) return false;
    size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail_at_end("the last line is cut off");
    line_.parse(rest_.substr(0, end), ++number_);
    rest_.remove_prefix(end + 1);
    return true;
  }

  /// Calls `f(key, key node, value index)` for the members of the object at `index`.
  template <typename F>
  void members(size_t index, F f) {
    const size_t end = line_.node(index).end;
    for (size_t i = index + 1; i < end; i = line_.after(i + 1)) {
      f(line_.text_of(line_.node(i)), line_.node(i), i + 1);
    }
  }
  template <typename F>
  void elements(size_t index, const char* what, F f) {
    if (line_.node(index).kind != JsonLine::Kind::kArray) {
      line_.fail(line_.node(index), fmt::format("{} must be an array", what));
    }
    const size_t end = line_.node(index).end;
    for (size_t i = index + 1; i < end; i = line_.after(i)) f(i);
  }
  void expect_object(size_t index, const char* what) {
    if (line_.node(index).kind != JsonLine::Kind::kObject) {
      line_.fail(line_.node(index), fmt::format("{} must be an object", what));
    }
  }
  [[noreturn]] void unknown(const Node& key, const char* what) {
    line_.fail(key, fmt::format("{} has no key \"{}\"", what, line_.text_of(key)));
  }
  template <typename T>
  T word(size_t index, const char* what, std::optional<T> (*from)(std::string_view)) {
    const Node& node = line_.node(index);
    std::optional<T> value = from(line_.string(node, what));
    if (!value) line_.fail(node, fmt::format("\"{}\" is no {}", line_.text_of(node), what));
    return *value;
  }
  uint32_t number32(size_t index, const char* what) {
    return static_cast<uint32_t>(line_.number(line_.node(index), kMax32, what));
  }
  uint64_t number64(size_t index, const char* what) {
    return line_.number(line_.node(index), kMax64, what);
  }

  void header() {
    bool format = false, version = false, level = false, events = false;
    const std::pair<const char*, std::string*> strings[] = {
        {"executor", &trace_.executor},    {"executor_version", &trace_.executor_version},
        {"device", &trace_.device},        {"kernel", &trace_.kernel},
        {"launch", &trace_.launch_digest}, {"program", &trace_.program_digest},
        {"ptx_file", &trace_.ptx_file},    {"cuda_file", &trace_.cuda_file}};
    size_t found_strings = 0;
    bool width = false, objects = false, registers = false, instructions = false;
    members(0, [&](const std::string& key, const Node& key_node, size_t value) {
      for (const auto& entry : strings) {
        if (key != entry.first) continue;
        *entry.second = line_.string(line_.node(value), entry.first);
        ++found_strings;
        return;
      }
      if (key == "format") {
        format = line_.string(line_.node(value), "format") == stored_form::kFormat;
        if (!format) line_.fail(line_.node(value), "not the format of a trace");
      } else if (key == "version") {
        version = number64(value, "version") == stored_form::kVersion;
        if (!version) {
          line_.fail(
              line_.node(value),
              fmt::format("only version {} of the stored form can be read", stored_form::kVersion));
        }
      } else if (key == "level") {
        trace_.level = word<Level>(value, "level", level_from);
        level = true;
      } else if (key == "warp_width") {
        trace_.warp_width = number32(value, "warp_width");
        width = true;
      } else if (key == "events") {
        declared_events_ = number64(value, "events");
        events = true;
      } else if (key == "objects") {
        elements(value, "objects", [&](size_t i) { object(i); });
        objects = true;
      } else if (key == "registers") {
        elements(value, "registers", [&](size_t i) {
          const std::string& name = line_.string(line_.node(i), "a register's name");
          registers_.emplace(name, static_cast<uint32_t>(trace_.register_names.size()));
          trace_.register_names.push_back(name);
        });
        registers = true;
      } else if (key == "instructions") {
        elements(value, "instructions", [&](size_t i) { instruction(i); });
        instructions = true;
      } else {
        unknown(key_node, "a header");
      }
    });
    auto need = [&](bool found, const char* key) {
      if (!found) line_.fail(line_.root(), fmt::format("the header has no \"{}\"", key));
    };
    need(format, "format");
    need(version, "version");
    need(level, "level");
    need(events, "events");
    need(width, "warp_width");
    need(objects, "objects");
    need(registers, "registers");
    need(instructions, "instructions");
    if (found_strings != std::size(strings)) {
      line_.fail(line_.root(), "the header lacks a name or digest (docs/trace.md lists them)");
    }
  }

  void object(size_t index) {
    expect_object(index, "an object");
    Object object;
    size_t found = 0;
    members(index, [&](const std::string& key, const Node& key_node, size_t value) {
      ++found;
      if (key == "name") {
        object.name = line_.string(line_.node(value), "name");
      } else if (key == "space") {
        object.space = word<Space>(value, "space", space_from);
      } else if (key == "base") {
        object.base = number64(value, "base");
      } else if (key == "size") {
        object.size = number64(value, "size");
      } else if (key == "reach") {
        object.reach = number64(value, "reach");
      } else {
        unknown(key_node, "an object");
      }
    });
    if (found != 5)
      line_.fail(line_.node(index), "an object has name, space, base, size and reach");
    objects_.emplace(object.name, static_cast<uint32_t>(trace_.objects.size()));
    trace_.objects.push_back(std::move(object));
  }

  void instruction(size_t index) {
    expect_object(index, "an instruction");
    Instruction instruction;
    bool text = false;
    members(index, [&](const std::string& key, const Node& key_node, size_t value) {
      if (key == "ptx") {
        instruction.ptx_index = number32(value, "ptx");
        if (instruction.ptx_index == kNoPtxIndex) line_.fail(line_.node(value), "no such index");
      } else if (key == "line") {
        instruction.ptx_line = number32(value, "line");
      } else if (key == "cuda") {
        instruction.cuda_line = number32(value, "cuda");
      } else if (key == "elided") {
        instruction.elided = line_.number(line_.node(value), 1, "elided") != 0;
      } else if (key == "text") {
        instruction.text = line_.string(line_.node(value), "text");
        text = true;
      } else {
        unknown(key_node, "an instruction");
      }
    });
    if (!text) line_.fail(line_.node(index), "an instruction has a text");
    trace_.instructions.push_back(std::move(instruction));
  }

  /// The index that a name in an event stands for: that of the first so named, unless "x" says.
  uint32_t named(const std::unordered_map<std::string, uint32_t>& table, size_t index,
                 const char* what) {
    auto found = table.find(line_.string(line_.node(index), what));
    if (found == table.end()) {
      line_.fail(line_.node(index), fmt::format("the header has no {} \"{}\"", what,
                                                line_.text_of(line_.node(index))));
    }
    return found->second;
  }

  void event() {
    enum : uint32_t {
      kCta = 1,
      kThread = 2,
      kAt = 4,
      kCount = 8,
      kKind = 16,
      kReg = 32,
      kObject = 64,
      kOffset = 128,
      kWidth = 256,
      kValue = 512,
      kOld = 1024
    };
    Event e;
    uint32_t found = 0;
    std::optional<Space> space;
    size_t by_index = 0, name = 0;
    members(0, [&](const std::string& key, const Node& key_node, size_t value) {
      if (key == "c") {
        e.cta = number32(value, "c");
        found |= kCta;
      } else if (key == "t") {
        e.thread = number32(value, "t");
        found |= kThread;
      } else if (key == "i") {
        e.instruction = static_cast<uint32_t>(line_.number(line_.node(value), kMax32, "i"));
        found |= kAt;
      } else if (key == "n") {
        e.occurrence = number32(value, "n");
        found |= kCount;
      } else if (key == "k") {
        e.kind = word<EventKind>(value, "kind of event", kind_from);
        found |= kKind;
      } else if (key == "r") {
        e.object = named(registers_, value, "register");
        name = value;
        found |= kReg;
      } else if (key == "o") {
        e.object = named(objects_, value, "object");
        name = value;
        found |= kObject;
      } else if (key == "x") {
        by_index = value;
      } else if (key == "s") {
        space = word<Space>(value, "space", space_from);
      } else if (key == "at") {
        e.offset = number64(value, "at");
        found |= kOffset;
      } else if (key == "w") {
        e.width = static_cast<uint8_t>(line_.number(line_.node(value), 8, "w"));
        found |= kWidth;
      } else if (key == "e") {
        e.element = static_cast<uint8_t>(line_.number(line_.node(value), 255, "e"));
      } else if (key == "v") {
        e.value = number64(value, "v");
        found |= kValue;
      } else if (key == "old") {
        e.old = number64(value, "old");
        found |= kOld;
      } else if (key == "format") {
        line_.fail(key_node, "a second header");
      } else {
        unknown(key_node, "an event");
      }
    });
    bool memory = is_memory(e.kind), is_register = e.kind == EventKind::kRegister;
    uint32_t needed = kCta | kThread | kAt | kCount | kKind;
    if (memory) needed |= kObject | kOffset | kWidth | kValue;
    if (is_register) needed |= kReg | kWidth | kValue;
    if (e.kind == EventKind::kAtomic) needed |= kOld;
    if (uint32_t missing = needed & ~found; missing != 0) {
      static constexpr const char* kKeys[] = {"c", "t",  "i", "n", "k",  "r",
                                              "o", "at", "w", "v", "old"};
      line_.fail(line_.root(),
                 fmt::format("this event needs \"{}\"", kKeys[std::countr_zero(missing)]));
    }
    if (((found & kReg) && !is_register) || ((found & kObject) && !memory)) {
      line_.fail(line_.node(name), "an event of this kind has no register or object");
    }
    if (by_index) apply_index(e, by_index, memory, is_register);
    e.space = space ? *space : memory ? trace_.objects[e.object].space : Space::kNone;
    if (std::string why = why_invalid(trace_, e); !why.empty()) line_.fail(line_.root(), why);
    trace_.events.push_back(e);
  }

  void apply_index(Event& e, size_t node, bool memory, bool is_register) {
    uint32_t index = number32(node, "x");
    bool fits = true;
    if (memory) {
      fits = index < trace_.objects.size() &&
             trace_.objects[index].name == trace_.objects[e.object].name;
    } else if (is_register) {
      fits = index < trace_.register_names.size() &&
             trace_.register_names[index] == trace_.register_names[e.object];
    }
    if (!fits) line_.fail(line_.node(node), fmt::format("index {} has another name", index));
    e.object = index;
  }

  std::shared_ptr<const diagnostics::SourceText> source_;
  JsonLine line_;
  std::string_view rest_;
  uint32_t number_ = 0;
  uint64_t declared_events_ = 0;
  std::unordered_map<std::string, uint32_t> objects_, registers_;
  Trace trace_;
};

}  // namespace

Trace read(std::shared_ptr<const diagnostics::SourceText> source) {
  return Reader(std::move(source)).read();
}

}  // namespace warplock::trace
