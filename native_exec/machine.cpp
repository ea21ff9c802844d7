#include "native_exec/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace warplock::native_exec {
namespace {

thread_local Machine* current_machine = nullptr;

/// What shared memory holds when a CTA starts. CUDA leaves it undefined; a pattern shows when a
/// kernel relies on zeros.
constexpr int kUndefinedByte = 0xcd;

class CurrentMachine {
 public:
  explicit CurrentMachine(Machine* machine) : before_(current_machine) {
    current_machine = machine;
  }
  ~CurrentMachine() { current_machine = before_; }
  CurrentMachine(const CurrentMachine&) = delete;
  CurrentMachine& operator=(const CurrentMachine&) = delete;

 private:
  Machine* before_;
};

uint64_t read_value(const std::byte* address, uint32_t width) {
  uint64_t value = 0;
  std::memcpy(&value, address, width);
  return value;
}

}  // namespace

Machine& Machine::current() {
  return *current_machine;
}

Machine::Machine(const Image& image, const executor::Launch& launch, trace::Level level,
                 StackPool& stacks)
    : image_(image), launch_(launch), level_(level), stacks_(stacks) {
  lay_out_memory();
  hints_.assign(image_.sites.size(), MemoryMap::kNone);
}

void Machine::lay_out_memory() {
  uint64_t room = 0;
  for (const executor::Argument& argument : launch_.arguments) {
    if (argument.is_buffer) room += Arena::room_for(argument.words.size() * 4);
  }
  buffers_ = std::make_unique<Arena>(room);
  for (const executor::Argument& argument : launch_.arguments) {
    std::byte* memory = nullptr;
    if (argument.is_buffer) {
      const size_t bytes = argument.words.size() * 4;
      memory = buffers_->allocate(bytes);
      if (bytes != 0) std::memcpy(memory, argument.words.data(), bytes);
      memory_.add(argument.name, trace::Space::kGlobal, memory, bytes);
    }
    buffer_memory_.push_back(memory);
  }
  // Then the variables by name, as every executor lists them.
  std::vector<const Variable*> variables;
  for (const Variable& variable : image_.variables) variables.push_back(&variable);
  std::sort(variables.begin(), variables.end(), [](const Variable* a, const Variable* b) {
    return std::pair(a->is_dynamic_shared, a->name) < std::pair(b->is_dynamic_shared, b->name);
  });
  for (const Variable* variable : variables) {
    if (variable->is_dynamic_shared) {
      // All extern __shared__ arrays begin at the same address.
      memory_.add("dynamic shared", trace::Space::kShared, variable->memory, launch_.shared_bytes);
      break;
    }
    memory_.add(variable->name, variable->space, variable->memory, variable->size);
  }
}

void Machine::reset_for_launch() {
  for (const Variable& variable : image_.variables) {
    if (variable.initial != nullptr) std::memcpy(variable.memory, variable.initial, variable.size);
  }
  image_.counters->steps = 0;
  threads_.resize(launch_.threads_per_cta());
  if (level_ != trace::Level::kOff) occurrences_.resize(threads_.size());
  // Room for the hooks and for what registers spill besides the variables themselves.
  constexpr uint64_t kRoom = 64 * 1024;
  stacks_.reserve(static_cast<uint32_t>(threads_.size()), kRoom + 2 * image_.stack_bytes);
}

std::optional<executor::Refusal> Machine::run(const Entry& entry, const std::string& cuda_path) {
  entry_ = &entry;
  cuda_path_ = cuda_path;
  arguments_.assign(std::max<uint32_t>(entry.argument_bytes, 1), std::byte{0});
  for (size_t i = 0; i < launch_.arguments.size(); ++i) {
    const executor::Argument& argument = launch_.arguments[i];
    const uint64_t value =
        argument.is_buffer ? reinterpret_cast<uint64_t>(buffer_memory_[i]) : argument.scalar;
    std::memcpy(arguments_.data() + entry.parameter_offsets[i], &value,
                std::min<size_t>(entry.parameter_sizes[i], sizeof value));
  }
  const CurrentMachine scope(this);
  reset_for_launch();
  for (cta_ = 0; cta_ < launch_.ctas(); ++cta_) {
    cta_position_ = {cta_ % launch_.grid[0], cta_ / launch_.grid[0] % launch_.grid[1],
                     cta_ / launch_.grid[0] / launch_.grid[1]};
    reset_for_cta();
    if (!run_cta()) break;
  }
  return refusal_;
}

std::vector<uint32_t> Machine::buffer(size_t index) const {
  std::vector<uint32_t> words(launch_.arguments[index].words.size());
  if (!words.empty()) std::memcpy(words.data(), buffer_memory_[index], words.size() * 4);
  return words;
}

void Machine::take_trace(trace::Trace& trace) {
  for (const Site& site : image_.sites) {
    trace.instructions.push_back({trace::kNoPtxIndex, 0, site.line, site.text});
  }
  for (const MemoryMap::Object& object : memory_.objects()) {
    trace.objects.push_back({object.name, object.space, object.base, object.size, kGapBytes / 2});
  }
  trace.events = std::move(events_);
}

void Machine::reset_for_cta() {
  for (const Variable& variable : image_.variables) {
    if (variable.space != trace::Space::kShared) continue;
    std::memset(variable.memory, kUndefinedByte,
                variable.is_dynamic_shared ? launch_.shared_bytes : variable.size);
  }
  for (auto& counts : occurrences_) counts.assign(image_.sites.size(), 0);
  for (uint32_t i = 0; i < threads_.size(); ++i) {
    Thread thread;
    thread.index = i;
    thread.warp = i / launch_.warp_width;
    thread.lane = i % launch_.warp_width;
    thread.context = stacks_.start(i, &Machine::fibre_body);
    threads_[i] = thread;
  }
  live_ = static_cast<uint32_t>(threads_.size());
}

// ---- memory
// ---------------------------------------------------------------------------------------

uint32_t Machine::object_at(const std::byte* address, uint64_t bytes, uint32_t site) {
  const auto number = reinterpret_cast<uint64_t>(address);
  const uint32_t object = memory_.find(number, bytes, hints_[site]);
  if (object != MemoryMap::kNone) {
    hints_[site] = object;
    return object;
  }
  const std::byte* const low = stacks_.low(running_->index);
  const std::byte* const high = stacks_.high(running_->index);
  if (address >= low && address < high && bytes <= static_cast<uint64_t>(high - address)) {
    return MemoryMap::kNone;
  }
  const uint32_t near = memory_.nearest(number);
  if (near == MemoryMap::kNone) {
    fault("out of bounds",
          fmt::format("{} at an address that belongs to nothing", image_.sites[site].text), site);
  }
  const MemoryMap::Object& object_near = memory_.objects()[near];
  fault("out of bounds",
        fmt::format("{} of {} bytes at offset {} of {}, which has {} bytes",
                    image_.sites[site].text, bytes, static_cast<int64_t>(number - object_near.base),
                    object_near.name, object_near.size),
        site);
}

void Machine::check_alignment(const std::byte* address, uint32_t alignment, uint32_t site) {
  if (reinterpret_cast<uint64_t>(address) % alignment == 0) return;
  fault(
      "misaligned",
      fmt::format("{} at an address that is no multiple of {}", image_.sites[site].text, alignment),
      site);
}

void Machine::record(trace::EventKind kind, uint32_t object, const std::byte* address,
                     uint32_t width, uint32_t element, uint64_t value, uint64_t old,
                     uint32_t site) {
  const MemoryMap::Object& target = memory_.objects()[object];
  trace::Event event;
  event.cta = cta_;
  event.thread = running_->index;
  event.instruction = site;
  event.occurrence = occurrences_[running_->index][site];
  event.kind = kind;
  event.space = target.space;
  event.width = static_cast<uint8_t>(width);
  event.element = static_cast<uint8_t>(element);
  event.object = object;
  event.offset = reinterpret_cast<uint64_t>(address) - target.base;
  event.value = value;
  event.old = old;
  try {
    events_.push_back(event);
  } catch (const std::bad_alloc&) {
    out_of_memory(site);
  }
}

void Machine::load(const std::byte* address, uint32_t site) {
  const Site& place = image_.sites[site];
  if (place.waits) wait();
  const uint32_t object = object_at(address, place.bytes(), site);
  check_alignment(address, place.alignment, site);
  if (level_ == trace::Level::kOff || object == MemoryMap::kNone) return;
  for (uint32_t i = 0; i < place.count; ++i) {
    const std::byte* const element = address + i * place.width;
    record(trace::EventKind::kLoad, object, element, place.width, i,
           read_value(element, place.width), 0, site);
  }
  ++occurrences_[running_->index][site];
}

void Machine::before_store(const std::byte* address, uint32_t site) {
  const Site& place = image_.sites[site];
  object_at(address, place.bytes(), site);
  check_alignment(address, place.alignment, site);
}

void Machine::after_store(const std::byte* address, uint32_t site) {
  if (level_ == trace::Level::kOff) return;
  const Site& place = image_.sites[site];
  const uint32_t object = object_at(address, place.bytes(), site);
  if (object == MemoryMap::kNone) return;
  for (uint32_t i = 0; i < place.count; ++i) {
    const std::byte* const element = address + i * place.width;
    record(trace::EventKind::kStore, object, element, place.width, i,
           read_value(element, place.width), 0, site);
  }
  ++occurrences_[running_->index][site];
}

void Machine::check_local(const std::byte* address, const std::byte* base, uint64_t size,
                          uint32_t site) {
  const uint64_t offset = static_cast<uint64_t>(address - base);
  const uint64_t bytes = image_.sites[site].bytes();
  if (offset <= size && bytes <= size - offset) return;
  fault("out of bounds",
        fmt::format("{} of {} bytes at offset {} of a local variable, which has {} bytes",
                    image_.sites[site].text, bytes, static_cast<int64_t>(offset), size),
        site);
}

namespace {

uint64_t apply(AtomicOp op, uint64_t old, uint64_t operand, uint64_t compare, uint32_t width) {
  // Signed comparisons look at the operands' own sign bit.
  const uint32_t shift = 64 - 8 * width;
  const auto as_signed = [shift](uint64_t x) { return static_cast<int64_t>(x << shift); };
  switch (op) {
    case AtomicOp::kAdd:
      return old + operand;
    case AtomicOp::kAnd:
      return old & operand;
    case AtomicOp::kOr:
      return old | operand;
    case AtomicOp::kXor:
      return old ^ operand;
    case AtomicOp::kExchange:
      return operand;
    case AtomicOp::kCompareExchange:
      return old == compare ? operand : old;
    case AtomicOp::kMinSigned:
      return as_signed(operand) < as_signed(old) ? operand : old;
    case AtomicOp::kMaxSigned:
      return as_signed(operand) > as_signed(old) ? operand : old;
    case AtomicOp::kMinUnsigned:
      return std::min(operand, old);
    case AtomicOp::kMaxUnsigned:
      return std::max(operand, old);
    case AtomicOp::kIncrement:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::kDecrement:
      return old == 0 || old > operand ? operand : old - 1;
  }
  return old;
}

}  // namespace

uint64_t Machine::atomic(std::byte* address, uint64_t value, uint64_t compare, uint32_t site) {
  const Site& place = image_.sites[site];
  wait();
  const uint32_t object = object_at(address, place.width, site);
  check_alignment(address, place.width, site);
  const uint64_t mask = place.width == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * place.width)) - 1;
  const uint64_t old = read_value(address, place.width);
  const uint64_t now = apply(place.op, old, value & mask, compare & mask, place.width);
  std::memcpy(address, &now, place.width);
  if (level_ != trace::Level::kOff && object != MemoryMap::kNone) {
    record(trace::EventKind::kAtomic, object, address, place.width, 0, value & mask, old, site);
    ++occurrences_[running_->index][site];
  }
  return old;
}

void Machine::record_bytes(trace::EventKind kind, uint32_t object, const std::byte* address,
                           uint64_t bytes, uint32_t site) {
  if (level_ == trace::Level::kOff || object == MemoryMap::kNone) return;
  for (uint64_t i = 0; i < bytes; ++i) {
    record(kind, object, address + i, 1, 0, read_value(address + i, 1), 0, site);
    ++occurrences_[running_->index][site];
  }
}

void Machine::copy(std::byte* to, const std::byte* from, uint64_t bytes, uint32_t site) {
  const uint32_t source = object_at(from, bytes, site);
  const uint32_t target = object_at(to, bytes, site);
  record_bytes(trace::EventKind::kLoad, source, from, bytes, site);
  std::memmove(to, from, bytes);
  record_bytes(trace::EventKind::kStore, target, to, bytes, site);
}

void Machine::fill(std::byte* to, uint8_t value, uint64_t bytes, uint32_t site) {
  const uint32_t target = object_at(to, bytes, site);
  std::memset(to, value, bytes);
  record_bytes(trace::EventKind::kStore, target, to, bytes, site);
}

}  // namespace warplock::native_exec
