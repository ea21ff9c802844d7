#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "circuit/ir.h"
#include "circuit/isa.h"
#include "circuit/layout.h"
#include "executor/launch.h"
#include "ptx/module.h"

namespace warplock::circuit {

/// What traces need to know of an instruction of a block: the events that it causes, with sources
/// that name what the lane has at that moment.
struct SlotTrace {
  uint32_t position = 0;  ///< program order inside the piece of code between two `first_of_code`
  /// Slots of the block that value, high, old, address and condition come from; -1: what the
  /// register held before the block.
  std::array<int8_t, 5> from{-1, -1, -1, -1, -1};
  uint32_t slot = 0;  ///< 0xffffffff: at the end of the block, whatever its slots do
  ir::Event event;
};

/// What traces need to know of a machine block.
struct BlockTrace {
  /// The block begins a stretch of straight PTX code: its events come after all earlier ones of the
  /// thread, and those of one stretch are in order of their positions.
  bool first_of_code = false;
  std::vector<SlotTrace> events;
  std::vector<ir::Event> taken, not_taken;
  /// By slot: the virtual register that events know the result by.
  std::vector<ir::Register> results;
};

/// A kernel in machine blocks, with what leads back to PTX.
struct Lowered {
  MachineProgram program;
  Layout layout;
  std::vector<BlockTrace> traces;  ///< one for each block
  uint32_t virtual_registers = 0;  ///< of the events' sources
  /// By PTX instruction id: its result is nowhere in the machine as PTX has it (folded into other
  /// instructions, or needed by nobody), so that it has no register events.
  std::vector<bool> elided;
  /// By PTX instruction id: names of the rules that lowered it; empty for what is never reached.
  std::vector<std::string> rules;
};

/// Why a kernel does not fit: what it needs and what the machine has, or what the machine cannot
/// do at all. Not an error of the input.
struct DoesNotFit {
  std::string reason;  ///< "needs 37 blocks, the machine has 32"
};

struct LoweringOptions {
  /// Scalar arguments are read from memory, where a later launch may have other ones, instead of
  /// being constants of the program.
  bool scalars_in_memory = false;
};

using LoweringResult = std::variant<Lowered, DoesNotFit>;

/// Marks the instructions whose results are addresses of a thread's own memory: every thread has
/// others here, whereas PTX gives all the same, so that they do not compare.
void mark_local_addresses(const ptx::Module& module, std::vector<bool>& elided);

/// Lowers one launch of a kernel: addresses, geometry and scalar arguments become constants.
/// Throws `InputError` for what no executor could accept: an entry that does not exist, arguments
/// that do not fit its parameters.
LoweringResult lower(std::shared_ptr<const ptx::Module> module, const executor::Launch& launch,
                     const MachineSpec& spec, LoweringOptions options = {});

}  // namespace warplock::circuit
