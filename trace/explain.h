#pragma once

#include <string>

#include "diagnostics/diagnostic.h"
#include "trace/compare.h"

namespace warplock::trace {

struct ExplainOptions {
  const diagnostics::SourceText* ptx = nullptr;   ///< to quote the line; may be null
  const diagnostics::SourceText* cuda = nullptr;  ///< likewise
  std::string reproduce;                          ///< the command that shows it again
  bool color = false;
};

/// The first divergence as a person reads it: kernel, thread, the line in CUDA C and PTX, both
/// values in decimal, hexadecimal and binary difference, the ten events before it on both sides,
/// and the command that reproduces it.
std::string explain(const Trace& left, const Trace& right, const Divergence& divergence,
                    const ExplainOptions& options);

/// One event in one line: "cta 0 thread 3  ptx:41 cuda:12  add.u32 %r5, %r4, 1  %r5 = 7 (0x7)".
std::string describe(const Trace& trace, const Event& event);

}  // namespace warplock::trace
