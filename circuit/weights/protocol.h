#pragma once

#include <optional>
#include <span>
#include <stdexcept>

#include "circuit/emulator.h"
#include "circuit/weights/token.h"

/// How programs and steps become tokens, and tokens steps.
namespace warplock::weights {

/// A sequence of tokens that no machine writes; `position` counts from 0.
struct ProtocolError : std::runtime_error {
  ProtocolError(size_t at, const std::string& message);
  size_t position;
};

/// What the ROM holds for one slot of a block, as the bytes of its record.
std::vector<uint8_t> rom_record(const circuit::MachineProgram& program, uint32_t block,
                                uint32_t slot);

/// The prompt of a launch: reset, program, memory, grid, warps. Throws std::invalid_argument when
/// the program does not fit its machine (see circuit::validate).
std::vector<Token> prompt_of(const circuit::MachineProgram& program);

/// The tokens of one step: a header and pieces for a record, one token for the rest.
std::vector<Token> tokens_of(const circuit::Step& step);

/// Puts steps together again, token by token.
class StepReader {
 public:
  explicit StepReader(const circuit::MachineSpec& spec) : spec_(spec) {}
  /// The step that this token completes, if it does. Throws ProtocolError.
  std::optional<circuit::Step> take(const Token& token);
  /// False in the middle of a record.
  bool between_steps() const { return !open_; }

 private:
  circuit::MachineSpec spec_;
  std::optional<circuit::Step> open_;
  int next_chunk_ = 0;
  size_t position_ = 0;
};

/// All steps of a run. Throws ProtocolError when it ends inside a record.
std::vector<circuit::Step> steps_of(const circuit::MachineSpec& spec, std::span<const Token> run);

}  // namespace warplock::weights
