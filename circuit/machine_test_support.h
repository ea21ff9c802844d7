#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "circuit/isa.h"
#include "executor/executor.h"

namespace warplock::circuit::test_support {

executor::Program program_of(const std::string& ptx);

/// A launch with warps of 4 lanes.
executor::Launch launch_of(std::string entry, std::array<uint32_t, 3> grid,
                           std::array<uint32_t, 3> block);
executor::Argument buffer(std::string name, std::vector<uint32_t> words);
executor::Argument scalar(std::string name, uint32_t value);

/// Runs `machine` and `reference` with all registers traced, and compares outputs and traces. Gives
/// what is wrong; empty when they agree on at least one event.
std::string disagreement(const executor::Program& program, const executor::Launch& launch,
                         const MachineSpec& spec = {});

/// The reason why the machine refuses, of kind kUnsupported; empty when it does not.
std::string refusal(const executor::Program& program, const executor::Launch& launch,
                    const MachineSpec& spec = {});

/// Words that find mistakes: corners, small numbers and random ones.
std::vector<uint32_t> interesting_words(size_t count, uint64_t seed);

}  // namespace warplock::circuit::test_support
