#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "circuit/isa.h"
#include "executor/launch.h"
#include "ptx/module.h"
#include "trace/event.h"

namespace warplock::circuit {

/// Where everything lies in the machine's one memory. Addresses are in bytes; objects begin at
/// multiples of 4.
struct Layout {
  struct Object {
    std::string name;
    trace::Space space = trace::Space::kNone;
    uint32_t base = 0;
    uint32_t size = 0;
    uint32_t variable = ptx::kNoIndex;  ///< index into Module::variables, for variables
    uint32_t argument = ptx::kNoIndex;  ///< index into Launch::arguments, for buffers
  };
  std::vector<Object> objects;
  std::vector<uint32_t> memory;  ///< initial words
  uint32_t words = 0;            ///< words in use
  /// Memory of each thread's own: `local_bytes` a thread, the first thread's at `local_base`.
  uint32_t local_base = 0, local_bytes = 0;
  /// With `scalars_in_memory`: the address of each scalar argument, by argument.
  std::vector<uint32_t> scalar_address;
  std::vector<uint32_t> local_offset;  ///< by variable: offset in there, kNoIndex for others

  /// The object of a variable; null when it has none (.param, .local, unused).
  const Object* of_variable(uint32_t variable) const;
  const Object* of_argument(uint32_t argument) const;
  /// The object that holds the byte at `address`; null when there is none.
  const Object* at(uint32_t address) const;
  /// Takes `bytes` more, and gives their address.
  uint32_t take(uint32_t bytes);
};

/// Buffers first, then variables that `function` and what it calls refer to, then shared memory.
/// Throws `Unfit` (emitter.h) for what the machine cannot hold.
Layout make_layout(const ptx::Module& module, const ptx::Function& entry,
                   const executor::Launch& launch, bool scalars_in_memory);

}  // namespace warplock::circuit
