#pragma once

#include <string>
#include <vector>

/// CUDA C to PTX, by clang (a process) or NVRTC (a library opened at run time). No CUDA toolkit is
/// needed for clang: the built-ins come from our own header, ptx/cuda_builtins.h. docs/cuda.md says
/// what it offers and which flags are used.
namespace warplock::ptx {

enum class CudaCompiler { kClang, kNvrtc };

/// Compiles a CUDA C file to PTX text with line information (.loc) and without debug sections. The
/// text does not depend on the folder that the file is in.
/// Throws `InputError` (class "CUDA") with the compiler's errors and notes, each with its place, or
/// (class "file") when the file cannot be read; throws `std::runtime_error` when the compiler is
/// not there (`why_missing` says it beforehand), crashes, or does not end within 60 seconds.
std::string compile_cuda(const std::string& cuda_path, CudaCompiler compiler);

/// What clang makes the PTX of `compile_cuda` from: the optimised LLVM IR, as bitcode. Throws
/// likewise.
std::string compile_cuda_to_bitcode(const std::string& cuda_path);

/// Empty when the compiler can be used, else the reason.
std::string why_missing(CudaCompiler compiler);
/// For example "clang 19.1.7" or "NVRTC 13.0"; empty when missing.
std::string version_of(CudaCompiler compiler);

}  // namespace warplock::ptx
