#pragma once

#include <cstdint>
#include <functional>

#include "reference_interp/code.h"
#include "reference_interp/reference.h"

/// Planted faults (reference.h), built into the decoded code so that the others cost nothing.
namespace warplock::reference_interp {

struct Plant {
  const ptx::Instruction* executed = nullptr;
  std::function<uint64_t(uint64_t)> distort;
};

/// What is to be executed for an instruction. A replacement is kept alive by `code`.
template <int W>
Plant plant_in(Code<W>& code, const ptx::Instruction& written, const Options& options);

/// Replaces the handler of the instruction that will be at `pc` by one that distorts its result.
template <int W>
void distort(Code<W>& code, uint32_t pc, DecodedInstruction<W>& in,
             std::function<uint64_t(uint64_t)> how);

}  // namespace warplock::reference_interp
