#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

/// The two compilers behind ptx/from_cuda.h, and what they have in common.
namespace warplock::ptx {

/// What clang writes.
enum class ClangOutput { kPtx, kBitcode };
std::string compile_with_clang(const diagnostics::SourceText& source, ClangOutput output);
std::string why_clang_missing();
std::string clang_version();

std::string compile_with_nvrtc(const diagnostics::SourceText& source);
std::string why_nvrtc_missing();
std::string nvrtc_version();

/// The errors and notes in what clang printed: `file:line:column: error: message`, and errors of
/// the whole compilation without a place. `builtins_path` is where ptx/cuda_builtins.h was written
/// to.
std::vector<diagnostics::Diagnostic> parse_clang_messages(const std::string& output,
                                                          const diagnostics::SourceText& source,
                                                          const std::string& builtins_path);

/// The errors in NVRTC's log: `file(line): error: message`, the line and a caret below it.
std::vector<diagnostics::Diagnostic> parse_nvrtc_messages(const std::string& log,
                                                          const diagnostics::SourceText& source);

/// PTX as every consumer can read it: no debug sections, no inlining information in .loc, file
/// names without folders.
std::string plain_ptx(const std::string& ptx);

}  // namespace warplock::ptx
