#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ptx/check_context.h"
#include "ptx/parser.h"

/// Operands: names to what they stand for, constants to bit patterns, and whether either agrees
/// with the type that the instruction wants.
namespace warplock::ptx {
namespace {

/// The bits of one element when a vector of `count` is moved as `type`; kNone when there is none.
Type element_type(Type type, size_t count) {
  if (count != 2 && count != 4) return Type::kNone;
  switch (bits(type) / count) {
    case 8:
      return Type::kB8;
    case 16:
      return Type::kB16;
    case 32:
      return Type::kB32;
    default:
      return Type::kNone;
  }
}

std::string full_name(const RawOperand& raw) {
  std::string name(raw.name);
  if (!raw.component.empty()) name += fmt::format(".{}", raw.component);
  return name;
}

}  // namespace

Operand Parser::resolve_value(const RawOperand& raw, const OperandSpec& spec, Type type,
                              const Instruction& instruction) {
  bool any = spec.kind == OperandSpec::Kind::kAny;
  bool wants_vector = spec.vector && instruction.modifiers.vector > 1;
  if (wants_vector && raw.kind != RawOperand::Kind::kVector) {
    tokens_.fail(raw.position, "operand count",
                 fmt::format("expected a vector of {} elements", instruction.modifiers.vector));
  }
  switch (raw.kind) {
    case RawOperand::Kind::kName:
      return resolve_name(raw, spec, type, instruction);
    case RawOperand::Kind::kConstant:
      if (spec.destination || spec.only_register || (any && instruction.opcode != Opcode::kMov)) {
        tokens_.fail(raw.position, "type mismatch",
                     spec.destination ? "the destination must be a register"
                                      : "this operand must be a register");
      }
      return resolve_immediate(raw, any ? instruction.types[0] : type);
    case RawOperand::Kind::kVector:
      if (wants_vector || any) return resolve_vector(raw, spec, type, instruction);
      tokens_.fail(raw.position, "type mismatch", "a vector does not stand here");
    case RawOperand::Kind::kSink:
      if (spec.sink) return {};
      tokens_.fail(raw.position, "type mismatch", "'_' does not stand here");
    case RawOperand::Kind::kAddress:
      tokens_.fail(raw.position, "type mismatch", "an address in brackets does not stand here");
    case RawOperand::Kind::kList:
      break;
  }
  tokens_.fail(raw.position, "syntax", "a list in parentheses does not stand here");
}

/// The elements of a vector: of a load or store, each of the instruction's type; of a mov, which
/// share the bits of its type.
Operand Parser::resolve_vector(const RawOperand& raw, const OperandSpec& spec, Type type,
                               const Instruction& instruction) {
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  OperandSpec element_spec = spec;
  element_spec.vector = false;
  if (spec.kind == OperandSpec::Kind::kAny) {
    element_spec.kind = OperandSpec::Kind::kValue;
    element_spec.destination = instruction.destinations.empty();
    type = element_type(instruction.types[0], raw.elements.size());
    if (type == Type::kNone) {
      tokens_.fail(raw.position, "operand count",
                   fmt::format("a .{} has no {} elements", spelling(instruction.types[0]),
                               raw.elements.size()));
    }
  } else if (raw.elements.size() != instruction.modifiers.vector) {
    tokens_.fail(raw.position, "operand count",
                 fmt::format("the vector has {} elements, the instruction wants {}",
                             raw.elements.size(), instruction.modifiers.vector));
  }
  element_spec.sink = element_spec.destination;
  bool all_sinks = true;
  for (const RawOperand& element : raw.elements) {
    operand.elements.push_back(resolve_value(element, element_spec, type, instruction));
    operand.elements.back().position = element.position;
    all_sinks = all_sinks && element.kind == RawOperand::Kind::kSink;
  }
  if (all_sinks) {
    tokens_.fail(raw.position, "type mismatch", "at least one element must be a register");
  }
  return operand;
}

Operand Parser::resolve_immediate(const RawOperand& raw, Type type) {
  Operand operand;
  operand.kind = Operand::Kind::kImmediate;
  const Constant& constant = raw.constant;
  uint32_t width = bits(type);
  bool is_float = type == Type::kF32 || type == Type::kF64;
  bool is_bits = type == Type::kB32 || type == Type::kB64;
  if (!constant.is_integer()) {
    uint32_t own_width = constant.kind == Constant::Kind::kFloat32 ? 32 : 64;
    if (type == Type::kF32 && own_width == 64) {
      double value = std::bit_cast<double>(constant.bits);
      operand.value = std::bit_cast<uint32_t>(static_cast<float>(value));
      return operand;
    }
    if (type == Type::kF64 && own_width == 32) {
      float value = std::bit_cast<float>(static_cast<uint32_t>(constant.bits));
      operand.value = std::bit_cast<uint64_t>(static_cast<double>(value));
      return operand;
    }
    if ((is_float || is_bits) && own_width == width) {
      operand.value = constant.bits;
      return operand;
    }
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("a floating-point constant where .{} is wanted", spelling(type)));
  }
  if (is_float) {
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("an integer constant where .{} is wanted", spelling(type)));
  }
  if (!fits(constant, width)) {
    tokens_.fail(raw.position, "out of range",
                 fmt::format("the constant does not fit .{}", spelling(type)));
  }
  operand.value = width >= 64 ? constant.bits : constant.bits & ((uint64_t{1} << width) - 1);
  return operand;
}

Operand Parser::resolve_name(const RawOperand& raw, const OperandSpec& spec, Type type,
                             const Instruction& instruction) {
  const Symbol* symbol = raw.component.empty() ? find(raw.name) : nullptr;
  if (symbol == nullptr) return resolve_special(raw, spec, type, instruction);
  bool any = spec.kind == OperandSpec::Kind::kAny;
  Operand operand;
  operand.index = symbol->index;
  if (symbol->kind == Symbol::Kind::kRegister) {
    Type reg = function_->registers[symbol->index].type;
    if (raw.has_offset) {
      tokens_.fail(raw.position, "syntax", "an offset is added to addresses only");
    }
    if (!any && !agrees(type, reg, spec.wider)) {
      tokens_.fail(raw.position, "type mismatch",
                   fmt::format("'{}' is of type .{}, the instruction wants .{}", raw.name,
                               spelling(reg), spelling(type)));
    }
    if (spec.only_immediate) {
      tokens_.fail(raw.position, "type mismatch", "this operand must be a constant");
    }
    if (raw.negated && !spec.negatable) {
      tokens_.fail(raw.position, "type mismatch",
                   fmt::format("'!{}' does not stand here", raw.name));
    }
    operand.kind = Operand::Kind::kRegister;
    operand.negated = raw.negated;
    return operand;
  }
  // What is left are addresses, which a few instructions take.
  bool takes_address = (any || spec.address) && !spec.destination && !raw.negated;
  switch (symbol->kind) {
    case Symbol::Kind::kVariable:
      operand.kind = Operand::Kind::kVariable;
      break;
    case Symbol::Kind::kParameter:
      operand.kind = Operand::Kind::kParameter;
      break;
    case Symbol::Kind::kFunction:
      operand.kind = Operand::Kind::kFunction;
      takes_address = takes_address && !raw.has_offset;
      break;
    default:
      takes_address = false;
      break;
  }
  if (!takes_address) {
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("'{}' is no register, and the instruction wants one", raw.name));
  }
  operand.offset = raw.offset;
  return operand;
}

/// Special registers, which mov and cvt read, and WARP_SZ, which stands where an integer constant
/// may.
Operand Parser::resolve_special(const RawOperand& raw, const OperandSpec& spec, Type type,
                                const Instruction& instruction) {
  Operand operand;
  operand.kind = Operand::Kind::kSpecial;
  if (!find_special_register(raw.name, raw.component, operand.special)) {
    bool unsupported = is_unsupported_special(raw.name, raw.component);
    tokens_.fail(raw.position, unsupported ? "unsupported" : "undefined symbol",
                 unsupported ? fmt::format("the special register '{}'", full_name(raw))
                             : fmt::format("'{}' is not defined", full_name(raw)));
  }
  bool is_width = operand.special == SpecialRegister::kWarpSize;
  if (is_width && raw.has_offset) {
    tokens_.fail(raw.position, "unsupported", "WARP_SZ in a constant expression");
  }
  Type wanted = spec.kind == OperandSpec::Kind::kAny ? instruction.types[0] : type;
  bool is_integer = wanted != Type::kPred && wanted != Type::kF32 && wanted != Type::kF64;
  bool readable = instruction.opcode == Opcode::kMov ||
                  (instruction.opcode == Opcode::kCvt && instruction.types[0] != Type::kF32);
  if (spec.destination || spec.only_register || spec.only_immediate || raw.negated ||
      raw.has_offset || !(is_width ? is_integer : readable)) {
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("'{}' does not stand here; read it with mov", full_name(raw)));
  }
  if (!is_width && !agrees(wanted, type_of(operand.special), spec.wider)) {
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("'{}' is of type .{}, the instruction wants .{}", full_name(raw),
                             spelling(type_of(operand.special)), spelling(wanted)));
  }
  return operand;
}

Operand Parser::resolve_address(const RawOperand& raw, const Instruction& instruction) {
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  if (raw.kind != RawOperand::Kind::kAddress) {
    tokens_.fail(raw.position, "type mismatch", "expected an address in brackets");
  }
  operand.offset = raw.offset;
  bool global = instruction.modifiers.space == Space::kGlobal ||
                instruction.modifiers.space == Space::kGeneric;
  if (raw.unified && !(global && instruction.opcode == Opcode::kLd)) {
    tokens_.fail(raw.position, "illegal modifier", "'.unified' does not stand here");
  }
  if (raw.name.empty()) {
    if (!raw.constant.is_integer()) {
      tokens_.fail(raw.position, "type mismatch", "an address is an integer");
    }
    operand.offset = static_cast<int64_t>(raw.constant.bits);
    return operand;
  }
  const Symbol* symbol = find(raw.name);
  if (symbol == nullptr) {
    tokens_.fail(raw.position, "undefined symbol", fmt::format("'{}' is not defined", raw.name));
  }
  operand.index = symbol->index;
  switch (symbol->kind) {
    case Symbol::Kind::kVariable:
      operand.base = Operand::Base::kVariable;
      return operand;
    case Symbol::Kind::kParameter:
      operand.base = Operand::Base::kParameter;
      return operand;
    case Symbol::Kind::kRegister: {
      operand.base = Operand::Base::kRegister;
      Type type = function_->registers[symbol->index].type;
      if (agrees(Type::kU64, type, false) || agrees(Type::kU32, type, false)) {
        return operand;
      }
      tokens_.fail(raw.position, "type mismatch",
                   fmt::format("'{}' is of type .{}; an address has 32 or 64 bits", raw.name,
                               spelling(type)));
    }
    default:
      break;
  }
  tokens_.fail(raw.position, "type mismatch", fmt::format("'{}' is no address", raw.name));
}

}  // namespace warplock::ptx
