#pragma once

#include <memory>

#include "diagnostics/diagnostic.h"
#include "ptx/module.h"

namespace warplock::ptx {

/// Limits of what the front end accepts; beyond them a module is refused (class "resource limit").
constexpr uint64_t kMaxSharedVariableBytes = 227 * 1024;
constexpr uint64_t kMaxConstVariableBytes = 64 * 1024;
constexpr uint64_t kMaxParameterBytes = 32'764;  ///< of a kernel, and of one .param variable
constexpr uint64_t kMaxVariableBytes = uint64_t{64} << 20;
constexpr uint32_t kMaxRegistersPerFunction = 65'536;
constexpr uint32_t kMaxInstructions = 1'000'000;

/// Parses and checks a PTX module. Throws `InputError` with every error found (up to 20), each with
/// its place; the classes are those of docs/ptx.md. Never crashes, whatever the bytes.
std::shared_ptr<const Module> parse(std::shared_ptr<const diagnostics::SourceText> source);

}  // namespace warplock::ptx
