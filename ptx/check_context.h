#pragma once

#include <string>

#include "ptx/module.h"
#include "ptx/syntax.h"
#include "ptx/token_stream.h"

namespace warplock::ptx {

/// What the rules of single forms (Form::check) work on: an instruction whose words and operands
/// are understood, and whose operands agree with the form's table.
class CheckContext {
 public:
  CheckContext(const TokenStream& tokens, const Module& module, const Function& function,
               const RawInstruction& raw, const Instruction& instruction)
      : tokens_(tokens),
        module_(module),
        function_(function),
        raw_(raw),
        instruction_(instruction) {}

  const Instruction& instruction() const { return instruction_; }
  const Operand& source(size_t index) const { return instruction_.sources[index]; }
  const Module& module() const { return module_; }
  const Function& function() const { return function_; }
  Type register_type(const Operand& operand) const {
    return function_.registers[operand.index].type;
  }

  /// Class "out of range" when the operand is an immediate of `limit` or more.
  void require_below(const Operand& operand, uint64_t limit, std::string_view what) const;
  /// Throws `Failure` at the operand.
  [[noreturn]] void fail(const Operand& operand, std::string klass, std::string message) const;
  /// Throws `Failure` at the instruction, which the message names first.
  [[noreturn]] void fail(std::string klass, std::string message) const;

 private:
  const TokenStream& tokens_;
  const Module& module_;
  const Function& function_;
  const RawInstruction& raw_;
  const Instruction& instruction_;
};

/// mov: packs and unpacks vectors, takes addresses and special registers.
void check_move(CheckContext& context);
/// Loads, stores and atomics: the address lies in the space, the vector is at most 128 bits.
void check_access(CheckContext& context);
/// isspacep: the address is a register of 32 or 64 bits.
void check_address_query(CheckContext& context);
/// cvta: a variable lies in the space that the instruction names.
void check_window(CheckContext& context);

/// True when a register of `reg` may stand where the instruction says `wanted`; with `wider`, the
/// register may be wider (PTX ISA 9.4.1).
bool agrees(Type wanted, Type reg, bool wider);

}  // namespace warplock::ptx
