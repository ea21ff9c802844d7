#include <fmt/format.h>

#include "ptx/check_context.h"
#include "ptx/parser.h"

/// call [(returns),] function [, (arguments)]; (PTX ISA 9.7.12.5). Calls through a register are
/// refused.
namespace warplock::ptx {

void Parser::check_call(const RawInstruction& raw, Instruction& instruction) {
  size_t next = 0;
  const RawOperand* returns = nullptr;
  const RawOperand* arguments = nullptr;
  auto at_list = [&] {
    return next < raw.operands.size() && raw.operands[next].kind == RawOperand::Kind::kList;
  };
  if (at_list()) returns = &raw.operands[next++];
  if (next >= raw.operands.size() || raw.operands[next].kind != RawOperand::Kind::kName) {
    tokens_.fail(raw.opcode.position, "syntax", "call wants the name of a function");
  }
  const RawOperand& callee = raw.operands[next++];
  if (at_list()) arguments = &raw.operands[next++];
  const Symbol* symbol = find(callee.name);
  if (symbol == nullptr) {
    tokens_.fail(callee.position, "undefined symbol",
                 fmt::format("'{}' is not defined", callee.name));
  }
  if (symbol->kind == Symbol::Kind::kRegister || next < raw.operands.size()) {
    tokens_.fail(callee.position, "unsupported", "a call through a register");
  }
  if (symbol->kind != Symbol::Kind::kFunction || module_.functions[symbol->index].is_entry ||
      callee.has_offset || callee.negated || !callee.component.empty()) {
    tokens_.fail(callee.position, "type mismatch",
                 fmt::format("'{}' is no device function", callee.name));
  }
  Operand target;
  target.kind = Operand::Kind::kFunction;
  target.index = symbol->index;
  target.position = callee.position;
  instruction.sources.push_back(target);

  const Function& function = module_.functions[symbol->index];
  auto bind = [&](const RawOperand* list, const std::vector<Parameter>& parameters, bool is_return,
                  std::vector<Operand>& out) {
    size_t given = list == nullptr ? 0 : list->elements.size();
    if (given != parameters.size()) {
      tokens_.fail(list == nullptr ? callee.position : list->position, "operand count",
                   fmt::format("'{}' has {} {}, here are {}", function.name, parameters.size(),
                               is_return ? "results" : "parameters", given));
    }
    for (size_t i = 0; i < given; ++i) {
      out.push_back(call_argument(list->elements[i], parameters[i], is_return));
    }
  };
  bind(returns, function.returns, true, instruction.destinations);
  bind(arguments, function.parameters, false, instruction.sources);
}

/// A register, an immediate, or a .param variable of the parameter's size.
Operand Parser::call_argument(const RawOperand& raw, const Parameter& parameter, bool is_return) {
  Operand operand;
  operand.position = raw.position;
  bool scalar = parameter.size == bytes(parameter.type);
  if (raw.kind == RawOperand::Kind::kSink && is_return) return operand;
  if (raw.kind == RawOperand::Kind::kConstant && !is_return && scalar) {
    operand = resolve_immediate(raw, parameter.type);
    operand.position = raw.position;
    return operand;
  }
  if (raw.kind != RawOperand::Kind::kName || raw.negated || raw.has_offset ||
      !raw.component.empty()) {
    tokens_.fail(raw.position, "type mismatch",
                 is_return ? "a result goes into a register or a .param variable"
                           : "an argument is a register, a constant or a .param variable");
  }
  const Symbol* symbol = find(raw.name);
  if (symbol == nullptr) {
    tokens_.fail(raw.position, "undefined symbol", fmt::format("'{}' is not defined", raw.name));
  }
  operand.index = symbol->index;
  bool fits = false;
  if (symbol->kind == Symbol::Kind::kRegister) {
    operand.kind = Operand::Kind::kRegister;
    fits = scalar && agrees(parameter.type, function_->registers[symbol->index].type, false);
  } else if (symbol->kind == Symbol::Kind::kVariable) {
    operand.kind = Operand::Kind::kVariable;
    const Variable& variable = module_.variables[symbol->index];
    fits = variable.space == Space::kParam && variable.size == parameter.size &&
           bits(variable.type) == bits(parameter.type) && parameter.reg == kNoIndex;
  }
  if (!fits) {
    tokens_.fail(
        raw.position, "type mismatch",
        fmt::format("'{}' does not agree with the parameter '{}'", raw.name, parameter.name));
  }
  return operand;
}

}  // namespace warplock::ptx
