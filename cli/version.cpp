#include "cli/version.h"

#include <fmt/format.h>

#include "ptx/from_cuda.h"
#include "warplock_commit.h"

namespace warplock::cli {
namespace {

std::string found(ptx::CudaCompiler compiler) {
  std::string missing = ptx::why_missing(compiler);
  return missing.empty() ? ptx::version_of(compiler) : "not found: " + missing;
}

}  // namespace

std::string version() {
  return fmt::format("{} (commit {})", WARPLOCK_VERSION, WARPLOCK_COMMIT);
}

std::string long_version() {
  return fmt::format("warplock {}\nLLVM {}\nclang: {}\nNVRTC: {}", version(), WARPLOCK_LLVM_VERSION,
                     found(ptx::CudaCompiler::kClang), found(ptx::CudaCompiler::kNvrtc));
}

}  // namespace warplock::cli
