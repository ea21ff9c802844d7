#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "ptx/module.h"
#include "reference_interp/code.h"

namespace warplock::reference_interp {

/// Gives registers, constants, special registers and addresses their places in the frame of one
/// function. Offsets are known once everything has a slot: `finish` computes them, and `place`
/// gives the offset of a slot.
class FrameLayout {
 public:
  FrameLayout(const ptx::Module& module, uint32_t function, const VariableAddresses& addresses,
              uint32_t warp_width);

  OperandRef reg(uint32_t index) const { return {0, index}; }
  RowKind kind(const OperandRef& operand) const { return kinds_[operand.slot]; }
  OperandRef constant(uint64_t value, RowKind kind);
  OperandRef special(ptx::SpecialRegister special, RowKind kind);
  /// The address of a variable, in its own state space, plus `offset`.
  OperandRef variable_address(uint32_t variable, int64_t offset, RowKind kind);
  /// A place for what is written to `_`.
  OperandRef sink(RowKind kind);
  /// Where a local or .param variable lies in the function's local frame.
  uint32_t local_offset(uint32_t variable) const;

  void finish(FunctionCode& code);
  OperandRef place(const OperandRef& operand) const {
    return {offsets_[operand.slot], operand.slot};
  }

 private:
  enum class Source : uint8_t { kConstant, kSpecial, kLocalAddress, kSink };
  OperandRef slot(Source source, uint64_t value, RowKind kind);
  void lay_out_locals();

  const ptx::Module& module_;
  const ptx::Function& function_;
  uint32_t index_;
  const VariableAddresses& addresses_;
  uint32_t warp_width_;
  std::vector<RowKind> kinds_;  ///< by slot
  std::map<std::tuple<Source, uint64_t, RowKind>, uint32_t> slots_;
  std::vector<uint32_t> offsets_;
  std::vector<LocalVariable> locals_;
  uint32_t local_bytes_ = 0;
};

}  // namespace warplock::reference_interp
