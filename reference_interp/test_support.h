#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executor/executor.h"
#include "executor/launch.h"
#include "reference_interp/reference.h"

/// What the tests of this folder share.
namespace warplock::reference_interp::testing {

/// The program of a PTX text.
executor::Program program_of(const std::string& ptx, const std::string& name = "test.ptx");

/// A module around `entries`: version, target, and whatever they are.
std::string module_of(std::string_view entries);

/// A kernel `k` with buffers as parameters p0, p1, ..., whose addresses are in %rd0, %rd1, ... and
/// %tid.x in %tid. Registers: %r0 to %r63 (.b32), %rd0 to %rd63 (.b64), %rs0 to %rs31 (.b16),
/// %p0 to %p15.
std::string kernel_of(int buffers, std::string_view body, std::string_view declarations = "");

executor::Argument buffer(std::string name, std::vector<uint32_t> words);
executor::Argument scalar(std::string name, uint64_t value, uint8_t bytes = 4);

/// A launch of `k` with one CTA.
executor::Launch launch_of(uint32_t width, uint32_t threads,
                           std::vector<executor::Argument> arguments);

executor::Outcome run(const std::string& ptx, const executor::Launch& launch,
                      trace::Level level = trace::Level::kOff, Options options = {});

/// Runs, and fails the test unless it completes.
executor::Execution completes(const std::string& ptx, const executor::Launch& launch,
                              trace::Level level = trace::Level::kOff, Options options = {});
/// The words of that buffer after such a run.
std::vector<uint32_t> output_of(const executor::Execution& execution, const std::string& name);

/// Runs, and fails the test unless it is stopped for a fault; returns the first diagnostic.
diagnostics::Diagnostic fault_of(const std::string& ptx, const executor::Launch& launch,
                                 Options options = {});

/// The line (from 1) of the first occurrence of `part` in `text`.
uint32_t line_of(const std::string& text, std::string_view part);

}  // namespace warplock::reference_interp::testing
