#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "executor/launch.h"
#include "ptx/module.h"
#include "reference_interp/code.h"
#include "reference_interp/known.h"

/// What is said about a program that does something wrong.
namespace warplock::reference_interp {

/// Stops an execution. The first diagnostic is the error, notes may follow.
struct ProgramFault {
  std::vector<diagnostics::Diagnostic> diagnostics;
};

/// Puts threads and instructions into words and raises faults.
class Reporter {
 public:
  Reporter(const ptx::Module& module, const executor::Launch& launch,
           const std::vector<InstructionInfo>& info)
      : module_(module), launch_(launch), info_(info) {}

  /// "thread 5 (5,0,0) of CTA 2 (2,0,0)".
  std::string thread(ThreadId thread) const;
  /// "line 12, `ld.shared.u32 %r1, [%r2]`", with the CUDA line where it is known.
  std::string place(uint32_t instruction) const;
  /// The instruction as PTX spells it, without its guard.
  std::string text(uint32_t instruction) const;

  /// An error at an instruction; the message begins with the thread.
  diagnostics::Diagnostic error(std::string klass, ThreadId thread, uint32_t instruction,
                                const std::string& message) const;
  /// The same without a thread.
  diagnostics::Diagnostic error(std::string klass, uint32_t instruction,
                                const std::string& message) const;
  /// A note at the counterpart's instruction.
  diagnostics::Diagnostic note(ThreadId thread, uint32_t instruction, std::string klass,
                               const std::string& message) const;

 private:
  diagnostics::Position position(uint32_t instruction) const;

  const ptx::Module& module_;
  const executor::Launch& launch_;
  const std::vector<InstructionInfo>& info_;
};

}  // namespace warplock::reference_interp
