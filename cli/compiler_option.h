#pragma once

#include <string>

#include "cli/command.h"
#include "ptx/from_cuda.h"

namespace warplock::cli {

/// --with clang|nvrtc.
class CompilerOption {
 public:
  void add_to(CLI::App& command) {
    command.add_option("--with", name_, "The compiler of CUDA C")
        ->check(CLI::IsMember({"clang", "nvrtc"}))
        ->capture_default_str();
  }
  /// Throws `Unavailable` when the compiler is not there.
  ptx::CudaCompiler get() const {
    ptx::CudaCompiler compiler =
        name_ == "nvrtc" ? ptx::CudaCompiler::kNvrtc : ptx::CudaCompiler::kClang;
    std::string missing = ptx::why_missing(compiler);
    if (!missing.empty()) throw Unavailable(name_ + " is not available: " + missing);
    return compiler;
  }

 private:
  std::string name_ = "clang";
};

}  // namespace warplock::cli
