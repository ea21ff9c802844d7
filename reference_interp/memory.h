#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/launch.h"
#include "ptx/module.h"
#include "reference_interp/address_map.h"
#include "reference_interp/code.h"
#include "reference_interp/race.h"
#include "trace/event.h"

/// Memory of a launch and of its CTAs and threads.
namespace warplock::reference_interp {

/// A buffer argument or a .global or .const variable.
struct GlobalObject {
  std::string name;
  bool constant = false;
  uint64_t base = 0;
  std::vector<uint8_t> bytes;
  Shadow shadow;
};

/// Where a shared variable lies; the bytes are each CTA's own.
struct SharedVariable {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  ///< in the CTA's block of shared memory
  uint32_t trace_object = 0;
};

/// What all threads of a launch see, and the layout of what they do not.
struct Memory {
  std::vector<GlobalObject> globals;  ///< by (address - kGlobalBase) >> kGlobalShift
  std::vector<SharedVariable> shared;
  uint64_t shared_bytes = 0;         ///< of one CTA, with the gaps that alignment needs
  uint64_t static_shared_bytes = 0;  ///< sum of the sizes of the static variables
  std::vector<uint8_t> parameters;
  VariableAddresses addresses;
  std::vector<trace::Object> trace_objects;
  uint32_t local_trace_object = 0;
};

/// Lays out and fills the memory of a launch of `entry`. Parameters are those of `launch`, which
/// must fit them (`check_launch`). Throws `InputError` (class "resource limit") when the shared
/// memory is more than a CTA can have.
Memory make_memory(const ptx::Module& module, const ptx::Function& entry,
                   const executor::Launch& launch);

/// Shared memory of one CTA.
struct SharedMemory {
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;  ///< by byte: 1 once something was stored there
  std::vector<Shadow> shadows;   ///< by variable
};
SharedMemory make_shared(const Memory& memory);

/// Local memory of one thread: a stack of frames.
struct LocalMemory {
  enum State : uint8_t { kUnwritten = 0, kWritten = 1, kNobodys = 2 };
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> state;  ///< by byte

  /// Makes room for a function's variables at `base`; everything from there on becomes unwritten,
  /// and what lies between the variables nobody's.
  void push(uint64_t base, const FunctionCode& function);
  void pop(uint64_t base);
};

}  // namespace warplock::reference_interp
