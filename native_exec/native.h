#pragma once

#include <memory>
#include <string>

#include "executor/executor.h"

/// The oracle that shares no PTX code with us: the kernel's CUDA C through clang to LLVM IR to
/// LLVM's JIT, one fibre a thread.
namespace warplock::native_exec {

/// The executor `native`. Yields results and memory events without PTX identity (CUDA lines
/// instead); needs `Program::cuda_path`; docs/native.md says what it cannot do.
std::unique_ptr<executor::Executor> make_native();

/// Empty when clang and the JIT can be used here, else the reason.
std::string why_missing();

}  // namespace warplock::native_exec
