#include "circuit/machine_trace.h"

#include <algorithm>
#include <tuple>

namespace warplock::circuit {

namespace {

using trace::EventKind;

/// Pointers into shared memory go past its end in loops, and executors give it addresses that do
/// not tell them from numbers.
constexpr uint64_t kSharedReach = uint64_t{1} << 31;

bool is_memory(EventKind kind) {
  return kind == EventKind::kLoad || kind == EventKind::kStore || kind == EventKind::kAtomic;
}
bool is_barrier(EventKind kind) {
  return kind == EventKind::kBarrierArrive || kind == EventKind::kBarrierRelease;
}

/// The destinations of an instruction one after another, vectors taken apart.
void list_destinations(const std::vector<ptx::Operand>& operands, uint32_t first_name,
                       std::vector<uint32_t>& names) {
  for (const ptx::Operand& operand : operands) {
    if (operand.kind == ptx::Operand::Kind::kVector) {
      list_destinations(operand.elements, first_name, names);
    } else {
      names.push_back(operand.kind == ptx::Operand::Kind::kRegister ? first_name + operand.index
                                                                    : ptx::kNoIndex);
    }
  }
}

}  // namespace

MachineTrace::MachineTrace(const Lowered& lowered, const executor::Program& program,
                           const executor::Launch& launch, trace::Level level)
    : lowered_(lowered), grid_x_(launch.grid[0]) {
  trace_.kernel = launch.entry;
  trace_.launch_digest = executor::digest(launch);
  trace_.program_digest = program.digest;
  trace_.ptx_file = program.ptx_path;
  trace_.cuda_file = program.cuda_path.value_or("");
  trace_.level = level;
  trace_.warp_width = launch.warp_width;
  const ptx::Module& module = *program.module;
  if (level != trace::Level::kOff) {
    trace_.instructions.resize(module.instruction_count);
    names_.resize(module.instruction_count);
    for (const ptx::Function& function : module.functions) {
      const auto first_name = static_cast<uint32_t>(trace_.register_names.size());
      for (const ptx::Register& reg : function.registers) trace_.register_names.push_back(reg.name);
      for (const ptx::Instruction& i : function.body) {
        trace_.instructions[i.id] = {i.id, i.position.line, i.cuda.line,
                                     ptx::to_text(module, function, i), lowered.elided[i.id]};
        list_destinations(i.destinations, first_name, names_[i.id]);
      }
    }
  }
  for (const Layout::Object& object : lowered.layout.objects) {
    const auto same = [&](const trace::Object& known) {
      return known.name == object.name && known.base == object.base &&
             known.space == object.space && object.argument == ptx::kNoIndex;
    };
    const auto found = std::find_if(trace_.objects.begin(), trace_.objects.end(), same);
    trace_object_.push_back(static_cast<uint32_t>(found - trace_.objects.begin()));
    if (found != trace_.objects.end()) continue;
    const uint64_t reach = object.space == trace::Space::kShared ? kSharedReach : 0;
    trace_.objects.push_back({object.name, object.space, object.base, object.size, reach});
  }
  local_object_ = static_cast<uint32_t>(trace_.objects.size());
  if (lowered.layout.local_bytes != 0) {
    trace_.objects.push_back(
        {"local", trace::Space::kLocal, lowered.layout.local_base, lowered.layout.local_bytes, 0});
  }
  threads_.resize(4 * lowered.program.warp_lanes.size());
  for (Thread& thread : threads_) thread.values.assign(lowered.virtual_registers, 0);
}

void MachineTrace::execute(const Step& step, const Emulator& emulator) {
  cta_ = emulator.cta_x() + grid_x_ * emulator.cta_y();
  const BlockTrace& block = lowered_.traces[step.block];
  for (uint32_t lane = 0; lane < 4; ++lane) {
    if ((step.mask >> lane & 1) == 0) continue;
    run_lane({block, emulator.results(), lane, 4 * step.warp + lane, emulator.blocks()},
             lowered_.program.blocks[step.block]);
  }
}

void MachineTrace::run_lane(const Lane& lane, const MachineBlock& block) {
  Thread& thread = threads_[lane.number];
  for (trace::Event& event : thread.waiting) add(lane.number, event, lane.time, 0xffffffff);
  thread.waiting.clear();
  if (lane.block.first_of_code) ++thread.stretch;
  for (const SlotTrace& at : lane.block.events) record(lane, at);
  for (uint32_t slot = 0; slot < lane.block.results.size(); ++slot) {
    const ir::Register reg = lane.block.results[slot];
    if (reg != ir::kNoRegister) thread.values[reg] = lane.results[slot][lane.lane].result;
  }
  bool taken = true;
  if (block.branch_slot) {
    taken = lane.results[*block.branch_slot][lane.lane].predicate != block.branch_negated;
  }
  for (const ir::Event& event : taken ? lane.block.taken : lane.block.not_taken) {
    record_edge(lane, event);
  }
}

uint32_t MachineTrace::value(const Lane& lane, const ir::Value& value, int8_t from) const {
  if (from >= 0) return lane.results[static_cast<size_t>(from)][lane.lane].result;
  switch (value.kind) {
    case ir::Value::Kind::kRegister:
      return threads_[lane.number].values[value.value];
    case ir::Value::Kind::kConstant:
      return value.value;
    case ir::Value::Kind::kThread:
      return lane.number;
    case ir::Value::Kind::kNone:
      break;
  }
  return 0;
}

uint32_t MachineTrace::value(const Lane& lane, const ir::Source& source, int8_t from,
                             uint32_t slot) const {
  switch (source.kind) {
    case ir::Source::Kind::kResult:
      return lane.results[slot][lane.lane].result ^ (source.flipped ? 1u : 0u);
    case ir::Source::Kind::kAddress:
      return lane.results[slot][lane.lane].address;
    case ir::Source::Kind::kValue:
      return value(lane, source.value, from) ^ (source.flipped ? 1u : 0u);
    case ir::Source::Kind::kNone:
      break;
  }
  return 0;
}

trace::Event MachineTrace::event_of(const ir::Event& from, uint32_t number) const {
  trace::Event event;
  event.cta = cta_;
  event.thread = number;
  event.instruction = from.ptx;
  event.kind = from.kind;
  event.element = from.element;
  event.width = from.width;
  return event;
}

void MachineTrace::record(const Lane& lane, const SlotTrace& at) {
  const ir::Event& from = at.event;
  if (from.kind == EventKind::kRegister &&
      (trace_.level != trace::Level::kRegisters || lowered_.elided[from.ptx])) {
    return;
  }
  if (!from.condition.none()) {
    const bool holds = (value(lane, from.condition, at.from[4]) & 1) != 0;
    if (holds == from.condition_negated) return;
  }
  trace::Event event = event_of(from, lane.number);
  event.value = value(lane, from.value, at.from[0], at.slot);
  if (from.high.kind != ir::Source::Kind::kNone) {
    event.value |= uint64_t{value(lane, from.high, at.from[1], at.slot)} << 32;
  }
  if (from.kind == EventKind::kRegister) {
    // Of a longer value the low word alone: docs/machine.md.
    event.width = std::min<uint8_t>(event.width, 4);
    event.value &= 0xffffffff;
    event.object = destination_name(from.ptx, from.element);
  } else if (is_memory(from.kind)) {
    place(event, value(lane, from.address, at.from[3], at.slot), lane.number);
    event.old = value(lane, from.old, at.from[2], at.slot);
    if (event.width < 4) event.value &= (uint64_t{1} << (8 * event.width)) - 1;
  } else if (from.kind == EventKind::kBranch || from.kind == EventKind::kExit) {
    event.width = 0;
  }
  add(lane.number, event, lane.time, at.position);
}

/// Barriers, branches and exits: what they carry is constant.
void MachineTrace::record_edge(const Lane& lane, const ir::Event& from) {
  trace::Event event = event_of(from, lane.number);
  event.value = from.value.value.value;
  event.width = 0;
  // What comes after a release waits too.
  if (event.kind == EventKind::kBarrierRelease || !threads_[lane.number].waiting.empty()) {
    threads_[lane.number].waiting.push_back(event);
  } else {
    add(lane.number, event, lane.time, 0xffffffff);
  }
}

void MachineTrace::place(trace::Event& event, uint32_t address, uint32_t number) const {
  const Layout& layout = lowered_.layout;
  const uint32_t own = address - layout.local_base - number * layout.local_bytes;
  if (own < layout.local_bytes) {
    event.object = local_object_;
    event.space = trace::Space::kLocal;
    event.offset = own;
    return;
  }
  const Layout::Object* object = layout.at(address);
  if (object == nullptr || address - object->base + event.width > object->size) {
    throw OutOfBounds{event.instruction, address};
  }
  event.object = trace_object_[static_cast<size_t>(object - layout.objects.data())];
  event.space = object->space;
  event.offset = address - object->base;
}

uint32_t MachineTrace::destination_name(uint32_t ptx, uint32_t element) const {
  return names_[ptx][element];
}

void MachineTrace::add(uint32_t number, trace::Event event, uint64_t time, uint32_t order) {
  Thread& thread = threads_[number];
  const bool anchor = is_memory(event.kind) || is_barrier(event.kind);
  thread.events.push_back({event, time, thread.stretch, order, anchor});
}

/// Sorts by stretch and order, memory before registers as PTX has them; counts executions; moves
/// what comes before an access in the program before it in time.
std::vector<MachineTrace::Recorded> MachineTrace::in_program_order(Thread& thread) {
  std::vector<Recorded> events = std::move(thread.events);
  thread.events.clear();
  for (size_t i = 0; i < events.size(); ++i) events[i].number = static_cast<uint32_t>(i);
  std::sort(events.begin(), events.end(), [](const Recorded& a, const Recorded& b) {
    const auto key = [](const Recorded& r) {
      return std::make_tuple(r.stretch, r.order, r.event.kind == EventKind::kRegister,
                             r.order == 0xffffffff ? uint8_t{0} : r.event.element, r.number);
    };
    return key(a) < key(b);
  });
  std::map<std::tuple<uint32_t, EventKind, uint8_t>, uint32_t> counts;
  for (Recorded& recorded : events) {
    recorded.event.occurrence =
        counts[{recorded.event.instruction, recorded.event.kind, recorded.event.element}]++;
  }
  uint64_t next = ~uint64_t{0};
  for (size_t i = events.size(); i-- > 0;) {
    if (events[i].is_anchor) next = std::min(next, events[i].time);
    events[i].time = std::min(events[i].time, next);
  }
  // What comes after an access stays after it.
  uint64_t last = 0;
  for (Recorded& recorded : events) last = recorded.time = std::max(recorded.time, last);
  return events;
}

void MachineTrace::end_cta() {
  std::vector<Recorded> all;
  for (Thread& thread : threads_) {
    std::vector<Recorded> events = in_program_order(thread);
    all.insert(all.end(), events.begin(), events.end());
    thread.stretch = 0;
  }
  for (size_t i = 0; i < all.size(); ++i) all[i].number = static_cast<uint32_t>(i);
  std::sort(all.begin(), all.end(), [](const Recorded& a, const Recorded& b) {
    return std::make_pair(a.time, a.number) < std::make_pair(b.time, b.number);
  });
  for (const Recorded& recorded : all) trace_.events.push_back(recorded.event);
}

}  // namespace warplock::circuit
