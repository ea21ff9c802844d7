#include "circuit/lowering.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "circuit/allocate.h"
#include "circuit/analysis.h"
#include "circuit/emitter.h"
#include "circuit/geometry.h"
#include "circuit/optimize.h"
#include "circuit/pack.h"
#include "circuit/translate.h"

namespace warplock::circuit {

namespace {

using diagnostics::error_at;
using diagnostics::InputError;

const ptx::Function& find_entry(const ptx::Module& module, const executor::Launch& launch) {
  const ptx::Function* entry = module.find_entry(launch.entry);
  if (entry == nullptr) {
    const diagnostics::SourceText& source = launch.source ? *launch.source : *module.source;
    throw InputError(
        error_at(source, launch.source ? launch.entry_position : diagnostics::Position{}, "launch",
                 fmt::format("the program has no kernel '{}'", launch.entry)));
  }
  const size_t wanted = entry->parameters.size();
  if (wanted != launch.arguments.size()) {
    const diagnostics::SourceText& source = launch.source ? *launch.source : *module.source;
    throw InputError(
        error_at(source, launch.source ? launch.entry_position : diagnostics::Position{}, "launch",
                 fmt::format("'{}' has {} parameters, the launch has {} arguments", launch.entry,
                             wanted, launch.arguments.size())));
  }
  return *entry;
}

MachineOperand operand(const PackedInstruction& packed, size_t k, const ir::Value& value,
                       const Allocation& allocation) {
  if (packed.from[k] >= 0) {
    return {MachineOperand::Kind::kForward, static_cast<uint32_t>(packed.from[k])};
  }
  switch (value.kind) {
    case ir::Value::Kind::kRegister: {
      const int color = allocation.colors[value.value];
      return {MachineOperand::Kind::kRegister, static_cast<uint32_t>(std::max(color, 0))};
    }
    case ir::Value::Kind::kConstant:
      if (k == 1) return {MachineOperand::Kind::kImmediate, value.value};
      return {MachineOperand::Kind::kRegister, 0};
    case ir::Value::Kind::kThread:
      return {MachineOperand::Kind::kThread, 0};
    case ir::Value::Kind::kNone:
      break;
  }
  return {MachineOperand::Kind::kRegister, 0};
}

MachineInstruction finish(const PackedInstruction& packed, const Allocation& allocation) {
  const ir::Instruction& i = packed.instruction;
  MachineInstruction result;
  result.op = i.op;
  result.a = operand(packed, 0, i.a, allocation);
  result.b = operand(packed, 1, i.b, allocation);
  result.c = operand(packed, 2, i.c, allocation);
  if (!i.predicate.none()) {
    if (packed.from[3] >= 0) {
      result.predicate_slot = static_cast<uint8_t>(packed.from[3]);
    } else {
      result.predicate_from_c = true;
    }
  }
  result.guarded = i.guarded;
  result.guard_negated = i.guarded && i.predicate_negated;
  if (packed.kept) {
    result.destination = static_cast<uint8_t>(allocation.colors[i.destination]);
  }
  result.ptx = i.ptx;
  result.rule = i.rule;
  return result;
}

BlockTrace trace_of(const PackedBlock& packed) {
  BlockTrace trace;
  trace.first_of_code = packed.first;
  for (uint32_t slot = 0; slot < packed.slots.size(); ++slot) {
    trace.results.push_back(packed.slots[slot] ? packed.slots[slot]->instruction.destination
                                               : ir::kNoRegister);
    if (!packed.slots[slot]) continue;
    const PackedInstruction& instruction = *packed.slots[slot];
    for (size_t e = 0; e < instruction.instruction.events.size(); ++e) {
      const ir::Event& event = instruction.instruction.events[e];
      trace.events.push_back({event.order, instruction.event_from[e], slot, event});
    }
  }
  for (const ir::Event& event : packed.passing) {
    trace.events.push_back({event.order, {-1, -1, -1, -1, -1}, 0xffffffff, event});
  }
  trace.taken = packed.taken_events;
  trace.not_taken = packed.not_taken_events;
  return trace;
}

void note_events(const ir::Event& event, std::set<std::pair<uint32_t, uint32_t>>& present) {
  if (event.kind == trace::EventKind::kRegister) present.insert({event.copy, event.element});
}

/// Which PTX instructions have lost a register event that they should have had.
std::vector<bool> find_elided(const ptx::Module& module,
                              const std::vector<Emitter::Expected>& expected,
                              const std::set<std::pair<uint32_t, uint32_t>>& present) {
  std::vector<bool> elided(module.instruction_count, false);
  for (const Emitter::Expected& e : expected) {
    if (present.count({e.copy, e.element}) == 0) elided[e.ptx] = true;
  }
  return elided;
}

/// What is left of the code after all that can be left out, in machine registers.
struct Fitted {
  std::vector<PackedBlock> blocks;
  Allocation allocation;
  uint32_t spilled_words = 0;
};

Fitted fit(ir::Code& code, Layout& layout, const LoweringContext& context) {
  std::vector<bool> keep(code.registers, false);
  constexpr int kRounds = 40;
  for (int round = 0;; ++round) {
    ir::Code legal = code;
    legalize(legal);
    Fitted fitted;
    fitted.blocks = pack(legal, context.spec.slots);
    keep.resize(legal.registers, false);
    fitted.allocation = allocate(fitted.blocks, legal.registers, context.spec.registers, keep);
    if (fitted.allocation.failed.empty()) {
      code = std::move(legal);
      return fitted;
    }
    if (round == kRounds) {
      throw Unfit(fmt::format("needs {} registers a lane at once, the machine has {}",
                              fitted.allocation.most_live, context.spec.registers - 1));
    }
    ir::Register victim = ir::kNoRegister;
    for (const auto* list : {&fitted.allocation.failed, &fitted.allocation.neighbours}) {
      for (ir::Register reg : *list) {
        if (victim == ir::kNoRegister && reg < code.registers && !keep[reg]) victim = reg;
      }
    }
    if (victim == ir::kNoRegister) {
      throw Unfit(fmt::format("needs {} registers a lane at once, the machine has {}",
                              fitted.allocation.most_live, context.spec.registers - 1));
    }
    bool in_memory = false;
    std::vector<ir::Register> made;
    spill(code, victim, 4 * layout.words, in_memory, made);
    if (in_memory) layout.words += context.launch.threads_per_cta();
    keep.assign(std::max<size_t>(keep.size(), code.registers), false);
    for (ir::Register reg : made) keep[reg] = true;
  }
}

void check_sizes(const Layout& layout, size_t blocks, const LoweringContext& context) {
  const MachineSpec& spec = context.spec;
  const bool many = context.launch.ctas() > 1;
  const uint32_t words = many ? ctaid_x_word(spec) : spec.words();
  if (layout.words > words) {
    throw Unfit(fmt::format("needs {} words of memory, the machine has {}", layout.words, words));
  }
  if (blocks > spec.blocks) {
    throw Unfit(fmt::format("needs {} blocks, the machine has {}", blocks, spec.blocks));
  }
}

/// Refuses what cannot fit whatever is done about it, before that takes long.
void check_least_blocks(const ir::Code& code, const MachineSpec& spec) {
  size_t instructions = 0;
  for (const ir::Block& block : code.blocks) {
    for (const ir::Instruction& i : block.instructions) instructions += !i.is_copy() && !i.is_fence;
  }
  const size_t least = (instructions + spec.slots - 1) / spec.slots;
  if (least > spec.blocks) {
    throw Unfit(fmt::format("needs at least {} blocks, the machine has {}", least, spec.blocks));
  }
}

/// Execution starts at block 0, which cannot be serial.
void keep_first_block_plain(ir::Code& code) {
  if (!code.blocks[0].serial && ir::predecessors(code)[0].empty()) return;
  ir::Block first;
  first.taken = 0;
  code.blocks.push_back(first);
  std::swap(code.blocks.front(), code.blocks.back());
  const auto last = static_cast<uint32_t>(code.blocks.size() - 1);
  for (ir::Block& block : code.blocks) {
    for (uint32_t* target : {&block.taken, &block.not_taken}) {
      if (*target == 0) *target = last;
    }
  }
}

}  // namespace

LoweringResult lower(std::shared_ptr<const ptx::Module> module, const executor::Launch& launch,
                     const MachineSpec& spec, LoweringOptions options) {
  const ptx::Function& entry = find_entry(*module, launch);
  try {
    Lowered lowered;
    lowered.program.spec = spec;
    lowered.program.warp_lanes = warp_lanes(launch, spec);
    const MachineGrid grid = machine_grid(launch, spec);
    lowered.program.ctas_x = grid.x;
    lowered.program.ctas_y = grid.y;
    lowered.layout = make_layout(*module, entry, launch, options.scalars_in_memory);
    LoweringContext context{*module, launch, spec, lowered.layout};
    check_sizes(lowered.layout, 0, context);
    Emitter emitter(context);
    translate(emitter, entry, lowered.rules);
    ir::Code& code = emitter.code();
    ir::optimize(code);
    check_least_blocks(code, spec);
    ir::settle(code);
    keep_first_block_plain(code);
    const Fitted fitted = fit(code, lowered.layout, context);
    check_sizes(lowered.layout, fitted.blocks.size(), context);
    std::set<std::pair<uint32_t, uint32_t>> present;
    for (const PackedBlock& packed : fitted.blocks) {
      MachineBlock block;
      for (const auto& slot : packed.slots) {
        block.slots.push_back(slot ? std::optional(finish(*slot, fitted.allocation))
                                   : std::nullopt);
        if (!slot) continue;
        for (const ir::Event& event : slot->instruction.events) note_events(event, present);
      }
      block.taken = packed.taken;
      block.not_taken = packed.branch_slot ? packed.not_taken : packed.taken;
      block.branch_slot = packed.branch_slot;
      block.branch_negated = packed.branch_slot && packed.branch_negated;
      block.barrier = packed.barrier;
      block.serial = packed.serial;
      lowered.program.blocks.push_back(std::move(block));
      lowered.traces.push_back(trace_of(packed));
    }
    lowered.virtual_registers = code.registers;
    lowered.elided = find_elided(*module, emitter.expected(), present);
    mark_local_addresses(*module, lowered.elided);
    lowered.rules.resize(module->instruction_count);
    lowered.program.memory = lowered.layout.memory;
    lowered.program.memory.resize(lowered.layout.words);
    validate(lowered.program);
    return lowered;
  } catch (const Unfit& unfit) {
    return DoesNotFit{unfit.what()};
  }
}

}  // namespace warplock::circuit
