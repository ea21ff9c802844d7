#pragma once

#include <string>

namespace warplock::cli {

/// "0.1.0 (commit 0123456789ab)".
std::string version();
/// What --version prints: the version and those of LLVM, clang, NVRTC found here.
std::string long_version();

}  // namespace warplock::cli
