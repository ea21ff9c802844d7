#pragma once

namespace warplock::ptx {

/// The text of ptx/cuda_builtins.h, so that the program needs no file of ours where it runs.
const char* cuda_builtins_text();

}  // namespace warplock::ptx
