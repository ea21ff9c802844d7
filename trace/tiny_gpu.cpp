#include "trace/tiny_gpu.h"

#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "trace/spelling.h"

namespace warplock::trace {
namespace {

constexpr uint64_t kObjectStride = 0x10000;
constexpr uint32_t kSharedBytes = 256;

struct Line {
  std::string text, guard, opcode;
  bool guard_negated = false;
  std::vector<std::string> operands;
  bool has(const std::string& word) const {
    return fmt::format(".{}.", opcode).find(fmt::format(".{}.", word)) != std::string::npos;
  }
  std::string name() const { return opcode.substr(0, opcode.find('.')); }
};

Line parse(const std::string& text) {
  Line line;
  line.text = text;
  std::istringstream words(text);
  words >> line.opcode;
  if (line.opcode[0] == '@') {
    line.guard_negated = line.opcode[1] == '!';
    line.guard = line.opcode.substr(line.guard_negated ? 2 : 1);
    words >> line.opcode;
  }
  for (std::string operand; words >> operand; line.operands.push_back(operand)) {
    if (operand.back() == ',') operand.pop_back();
  }
  return line;
}

struct Thread {
  uint32_t cta = 0, index = 0, pc = 0;
  bool exited = false, waiting = false;
  std::map<std::string, uint64_t> registers;
  std::map<uint32_t, uint32_t> occurrences;
};

class TinyGpu {
 public:
  TinyGpu(const std::string& program, const TinyLaunch& launch)
      : launch_(launch), random_(launch.seed) {
    std::istringstream lines(program);
    uint32_t number = 0;
    for (std::string text; std::getline(lines, text);) {
      ++number;
      text.erase(0, text.find_first_not_of(' '));
      if (text.empty()) continue;
      if (text.back() == ':') {
        labels_[text.substr(0, text.size() - 1)] = static_cast<uint32_t>(lines_.size());
        continue;
      }
      trace_.instructions.push_back(
          {static_cast<uint32_t>(lines_.size()), number, number / 2, text});
      lines_.push_back(parse(text));
    }
    trace_.executor = "tiny";
    trace_.executor_version = "1.0";
    trace_.kernel = "kernel";
    trace_.launch_digest = "launch";
    trace_.program_digest = "program";
    trace_.level = launch.level;
    trace_.warp_width = launch.warp_width;
    for (const auto& entry : launch.memory) add_object(entry.first, Space::kGlobal, entry.second);
    add_object("s", Space::kShared, std::vector<uint32_t>(kSharedBytes / 4 * launch.ctas, 0));
    trace_.objects.back().size = kSharedBytes;
  }

  Trace run() {
    for (uint32_t cta = 0; cta < launch_.ctas; ++cta) {
      for (uint32_t i = 0; i < launch_.threads; ++i) threads_.push_back(make_thread(cta, i));
    }
    for (uint64_t steps = 0;; ++steps) {
      if (steps > 1'000'000) throw std::runtime_error("the program does not end");
      std::vector<size_t> ready;
      bool all_exited = true;
      for (size_t i = 0; i < threads_.size(); ++i) {
        all_exited = all_exited && threads_[i].exited;
        if (!threads_[i].exited && !threads_[i].waiting) ready.push_back(i);
      }
      if (all_exited) return std::move(trace_);
      if (ready.empty()) throw std::runtime_error("deadlock");
      // Without a seed the order is fixed, but changes threads now and then: spin loops must end.
      size_t pick = launch_.seed ? random_() % ready.size() : steps / 64 % ready.size();
      step(threads_[ready[pick]]);
    }
  }

 private:
  static Thread make_thread(uint32_t cta, uint32_t index) {
    Thread thread;
    thread.cta = cta;
    thread.index = index;
    return thread;
  }
  void add_object(const std::string& name, Space space, const std::vector<uint32_t>& words) {
    uint64_t base = launch_.base + kObjectStride * (trace_.objects.size() + 1);
    trace_.objects.push_back({name, space, base, words.size() * 4, 0x1000});
    memory_.push_back(words);
  }

  uint64_t read(Thread& thread, const std::string& operand) {
    if (operand == "%tid") return thread.index;
    if (operand == "%ctaid") return thread.cta;
    if (operand[0] == '%') return thread.registers[operand];
    for (const Object& object : trace_.objects) {
      if (object.name == operand) return object.base;
    }
    return std::stoull(operand, nullptr, 0);
  }

  void emit(Thread& thread, Event& event) {
    event.cta = thread.cta;
    event.thread = thread.index;
    event.instruction = thread.pc;
    event.occurrence = thread.occurrences[thread.pc];
    if (launch_.fault) launch_.fault(event);
    if (event.kind == EventKind::kRegister && launch_.level != Level::kRegisters) return;
    trace_.events.push_back(event);
  }

  void write(Thread& thread, const std::string& name, uint64_t value, uint32_t width) {
    auto found = registers_.emplace(name, static_cast<uint32_t>(registers_.size()));
    if (found.second) trace_.register_names.push_back(name);
    Event event;
    event.width = static_cast<uint8_t>(width);
    event.object = found.first->second;
    event.value = value & mask_of(width);
    emit(thread, event);
    thread.registers[name] = event.value;
  }

  void control(Thread& thread, EventKind kind, uint64_t value) {
    Event event;
    event.kind = kind;
    event.value = value;
    emit(thread, event);
  }

  static uint32_t width_of(const Line& line) {
    if (line.has("u64") || line.has("b64")) return 8;
    if (line.has("u8")) return 1;
    return line.has("pred") ? 1 : 4;
  }

  /// The bytes that an operand "[%rd1+4]" stands for; fills in the event's place.
  unsigned char* place(Thread& thread, const Line& line, const std::string& operand, Event& event) {
    size_t plus = operand.find('+');
    uint64_t address = read(thread, operand.substr(1, std::min(plus, operand.size() - 1) - 1));
    if (plus != std::string::npos) address += std::stoull(operand.substr(plus + 1));
    event.width = static_cast<uint8_t>(width_of(line));
    for (size_t i = 0; i < trace_.objects.size(); ++i) {
      const Object& object = trace_.objects[i];
      if (address < object.base || address - object.base + event.width > object.size) continue;
      event.object = static_cast<uint32_t>(i);
      event.space = object.space;
      event.offset = address - object.base;
      uint64_t at = event.offset + (object.space == Space::kShared ? kSharedBytes * thread.cta : 0);
      return reinterpret_cast<unsigned char*>(memory_[i].data()) + at;
    }
    throw std::runtime_error(fmt::format("no such address: {}", line.text));
  }

  void step(Thread& thread) {
    if (thread.pc >= lines_.size()) {
      thread.pc = static_cast<uint32_t>(lines_.size()) - 1;
      control(thread, EventKind::kExit, 0);
      thread.exited = true;
      return;
    }
    const Line& line = lines_[thread.pc];
    bool runs = line.guard.empty() || (read(thread, line.guard) != 0) != line.guard_negated;
    uint32_t next = thread.pc + 1;
    if (line.name() == "bra") {
      uint32_t target = labels_.at(line.operands[0]);
      control(thread, EventKind::kBranch, runs ? target + 1 : 0);
      if (runs) next = target;
    } else if (!runs) {
      thread.pc = next;
      return;
    } else if (line.name() == "bar") {
      control(thread, EventKind::kBarrierArrive, 0);
      ++thread.occurrences[thread.pc];
      if (!launch_.ignore_barriers) {
        thread.waiting = true;
        release(thread.cta);
        return;
      }
      --thread.occurrences[thread.pc];
      control(thread, EventKind::kBarrierRelease, 0);
    } else if (line.name() == "exit") {
      control(thread, EventKind::kExit, 0);
      thread.exited = true;
      release(thread.cta);
      return;
    } else {
      execute(thread, line);
    }
    ++thread.occurrences[thread.pc];
    thread.pc = next;
  }

  void release(uint32_t cta) {
    for (const Thread& thread : threads_) {
      if (thread.cta == cta && !thread.exited && !thread.waiting) return;
    }
    for (Thread& thread : threads_) {
      if (thread.cta != cta || !thread.waiting) continue;
      thread.waiting = false;
      --thread.occurrences[thread.pc];
      control(thread, EventKind::kBarrierRelease, 0);
      ++thread.occurrences[thread.pc];
      ++thread.pc;
    }
  }

  void execute(Thread& thread, const Line& line) {
    const std::vector<std::string>& o = line.operands;
    const std::string name = line.name();
    auto value = [&](size_t i) { return read(thread, o.at(i)); };
    if (name == "mov") return write(thread, o[0], value(1), width_of(line));
    if (name == "add") return write(thread, o[0], value(1) + value(2), width_of(line));
    if (name == "mul") return write(thread, o[0], value(1) * value(2), width_of(line));
    if (name == "setp") {
      uint64_t a = value(1), b = value(2);
      bool result = line.has("eq")   ? a == b
                    : line.has("ne") ? a != b
                    : line.has("lt") ? a < b
                                     : a >= b;
      return write(thread, o[0], result, 1);
    }
    Event event;
    if (name == "ld") {
      unsigned char* at = place(thread, line, o[1], event);
      event.kind = EventKind::kLoad;
      std::memcpy(&event.value, at, event.width);
      emit(thread, event);
      return write(thread, o[0], event.value, event.width);
    }
    if (name == "st") {
      unsigned char* at = place(thread, line, o[0], event);
      event.kind = EventKind::kStore;
      event.value = value(1) & mask_of(event.width);
      emit(thread, event);
      std::memcpy(at, &event.value, event.width);
      return;
    }
    if (name != "atom" && name != "red")
      throw std::runtime_error(fmt::format("unknown: {}", line.text));
    size_t first = name == "atom" ? 1 : 0;
    unsigned char* at = place(thread, line, o[first], event);
    event.kind = EventKind::kAtomic;
    event.value = value(line.has("cas") ? first + 2 : first + 1);
    std::memcpy(&event.old, at, event.width);
    emit(thread, event);
    uint64_t result = event.value, old = event.old;
    if (line.has("add")) result = old + event.value;
    if (line.has("max")) result = std::max(old, event.value);
    if (line.has("inc")) result = old >= event.value ? 0 : old + 1;
    if (line.has("cas")) result = old == value(first + 1) ? event.value : old;
    std::memcpy(at, &result, event.width);
    if (name == "atom") write(thread, o[0], old, event.width);
  }

  const TinyLaunch& launch_;
  std::mt19937_64 random_;
  std::vector<Line> lines_;
  std::map<std::string, uint32_t> labels_, registers_;
  std::vector<std::vector<uint32_t>> memory_;
  std::vector<Thread> threads_;
  Trace trace_;
};

}  // namespace

Trace run_tiny(const std::string& program, const TinyLaunch& launch) {
  return TinyGpu(program, launch).run();
}

Trace without_ptx(const Trace& trace) {
  Trace out = trace;
  out.executor = "other";
  out.level = Level::kMemory;
  out.register_names.clear();
  out.events.clear();
  for (const Event& event : trace.events) {
    if (is_memory(event.kind)) out.events.push_back(event);
  }
  for (Instruction& instruction : out.instructions) {
    instruction.ptx_index = kNoPtxIndex;
    instruction.ptx_line = 0;
  }
  return out;
}

}  // namespace warplock::trace
