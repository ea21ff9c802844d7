#include "reference_interp/faults.h"

#include <fmt/format.h>

namespace warplock::reference_interp {

std::string Reporter::thread(ThreadId thread) const {
  const uint32_t in_cta = thread & ((1u << kThreadBits) - 1);
  const uint32_t cta = cta_of(thread);
  const auto& b = launch_.block;
  const auto& g = launch_.grid;
  return fmt::format("thread {} ({},{},{}) of CTA {} ({},{},{})", in_cta, in_cta % b[0],
                     in_cta / b[0] % b[1], in_cta / b[0] / b[1], cta, cta % g[0], cta / g[0] % g[1],
                     cta / g[0] / g[1]);
}

diagnostics::Position Reporter::position(uint32_t instruction) const {
  const InstructionInfo& info = info_[instruction];
  if (info.text != nullptr) return info.text->position;
  return module_.functions[info.function].declared;
}

std::string Reporter::text(uint32_t instruction) const {
  const InstructionInfo& info = info_[instruction];
  const ptx::Function& function = module_.functions[info.function];
  if (info.text == nullptr) return fmt::format("the end of {}", function.name);
  return to_text(module_, function, *info.text);
}

std::string Reporter::place(uint32_t instruction) const {
  const InstructionInfo& info = info_[instruction];
  std::string cuda;
  if (info.text != nullptr && info.text->cuda.line != 0) {
    const ptx::CudaPosition& at = info.text->cuda;
    cuda = fmt::format(", {}:{}", at.file < module_.files.size() ? module_.files[at.file] : "CUDA",
                       at.line);
  }
  return fmt::format("line {}, `{}`{}", position(instruction).line, text(instruction), cuda);
}

diagnostics::Diagnostic Reporter::error(std::string klass, uint32_t instruction,
                                        const std::string& message) const {
  std::string whole = message;
  const InstructionInfo& info = info_[instruction];
  if (info.text != nullptr && info.text->cuda.line != 0) {
    const ptx::CudaPosition& at = info.text->cuda;
    whole += fmt::format(
        " ({}:{})", at.file < module_.files.size() ? module_.files[at.file] : "CUDA line", at.line);
  }
  return diagnostics::error_at(*module_.source, position(instruction), std::move(klass),
                               std::move(whole));
}

diagnostics::Diagnostic Reporter::error(std::string klass, ThreadId who, uint32_t instruction,
                                        const std::string& message) const {
  return error(std::move(klass), instruction, fmt::format("{}: {}", thread(who), message));
}

diagnostics::Diagnostic Reporter::note(ThreadId who, uint32_t instruction, std::string klass,
                                       const std::string& message) const {
  diagnostics::Diagnostic note = error(std::move(klass), who, instruction, message);
  note.severity = diagnostics::Severity::kNote;
  return note;
}

}  // namespace warplock::reference_interp
