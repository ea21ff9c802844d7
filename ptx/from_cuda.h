#pragma once

#include <string>
#include <vector>

/// CUDA C to PTX, by clang (a process) or NVRTC (a library opened at run time). No CUDA toolkit is
/// needed for clang: the built-ins come from our own header, ptx/cuda_builtins.h.
namespace warplock::ptx {

enum class CudaCompiler { kClang, kNvrtc };

/// Compiles a CUDA C file to PTX text with line information (.loc).
/// Throws `InputError` with the compiler's diagnostics, each with its place; throws
/// `std::runtime_error` when the compiler is not there (`why_missing` says it beforehand).
std::string compile_cuda(const std::string& cuda_path, CudaCompiler compiler);

/// Empty when the compiler can be used, else the reason.
std::string why_missing(CudaCompiler compiler);
/// For example "clang 19.1.7" or "NVRTC 13.0"; empty when missing.
std::string version_of(CudaCompiler compiler);

}  // namespace warplock::ptx
