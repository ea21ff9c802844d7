#include <fmt/format.h>

#include "ptx/check_context.h"

/// Rules that do not fit into the form tables.
namespace warplock::ptx {
namespace {

bool is_float(Type type) {
  return type == Type::kF32 || type == Type::kF64;
}
bool is_untyped(Type type) {
  return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
}

/// Addresses have 64 bits; those in windows of one space may be kept in 32 bits (PTX ISA 5.1).
bool has_short_addresses(Space space) {
  return space == Space::kShared || space == Space::kLocal || space == Space::kConst ||
         space == Space::kParam;
}

}  // namespace

bool agrees(Type wanted, Type reg, bool wider) {
  if (wanted == Type::kPred || reg == Type::kPred) return wanted == reg;
  bool wide_enough = wider ? bits(reg) >= bits(wanted) : bits(reg) == bits(wanted);
  if (!wide_enough) return false;
  if (is_untyped(wanted) || is_untyped(reg)) return true;
  if (is_float(wanted) && bits(reg) != bits(wanted)) return false;
  return is_float(wanted) == is_float(reg);
}

void CheckContext::require_below(const Operand& operand, uint64_t limit,
                                 std::string_view what) const {
  if (operand.kind != Operand::Kind::kImmediate || operand.value < limit) return;
  fail(operand, "out of range", fmt::format("{} is 0 to {}", what, limit - 1));
}

void CheckContext::fail(const Operand& operand, std::string klass, std::string message) const {
  tokens_.fail(operand.position, std::move(klass), std::move(message));
}

void CheckContext::fail(std::string klass, std::string message) const {
  tokens_.fail(raw_.opcode.position, std::move(klass),
               fmt::format("{}: {}", raw_.opcode.text, message));
}

namespace {

void require_agreement(const CheckContext& context, const Operand& operand, Type type) {
  Type reg = context.register_type(operand);
  if (agrees(type, reg, false)) return;
  context.fail(
      operand, "type mismatch",
      fmt::format("'{}' is of type .{}, the instruction wants .{}",
                  context.function().registers[operand.index].name, spelling(reg), spelling(type)));
}

/// The address of a variable or a parameter as a value of `type`.
void require_address_type(const CheckContext& context, const Operand& operand, Type type) {
  Space space = Space::kParam;
  if (operand.kind == Operand::Kind::kVariable) {
    space = context.module().variables[operand.index].space;
  } else if (operand.kind == Operand::Kind::kFunction) {
    space = Space::kGlobal;
  }
  bool fits =
      !is_float(type) && (bits(type) == 64 || (bits(type) == 32 && has_short_addresses(space)));
  if (!fits) {
    context.fail(
        operand, "type mismatch",
        fmt::format("an address in .{} is not of type .{}", spelling(space), spelling(type)));
  }
}

}  // namespace

void check_move(CheckContext& context) {
  const Instruction& instruction = context.instruction();
  Type type = instruction.type();
  const Operand& to = instruction.destinations.front();
  const Operand& from = instruction.sources.front();
  bool packs = from.kind == Operand::Kind::kVector;
  bool unpacks = to.kind == Operand::Kind::kVector;
  if (packs && unpacks) context.fail("type mismatch", "one side at most is a vector");
  if ((packs || unpacks) && !is_untyped(type)) {
    context.fail("type mismatch", "vectors are packed and unpacked as .b16, .b32 or .b64");
  }
  if (to.kind == Operand::Kind::kRegister) {
    require_agreement(context, to, type);
  } else if (!unpacks) {
    context.fail(to, "type mismatch", "the destination must be a register");
  }
  switch (from.kind) {
    case Operand::Kind::kRegister:
      require_agreement(context, from, type);
      break;
    case Operand::Kind::kVariable:
    case Operand::Kind::kParameter:
    case Operand::Kind::kFunction:
      require_address_type(context, from, type);
      break;
    default:
      break;
  }
}

namespace {

void check_variable_access(const CheckContext& context, const Operand& operand) {
  const Instruction& instruction = context.instruction();
  const Variable& variable = context.module().variables[operand.index];
  Space space = instruction.modifiers.space;
  bool generic = space == Space::kGeneric && variable.space != Space::kParam &&
                 variable.space != Space::kConst;
  if (variable.space != space && !generic) {
    context.fail(operand, "type mismatch",
                 fmt::format("'{}' lies in .{}, the instruction works on .{}", variable.name,
                             spelling(variable.space), spelling(space)));
  }
  bool stores = instruction.opcode == Opcode::kSt;
  if (variable.role == (stores ? Variable::Role::kParameter : Variable::Role::kResult)) {
    context.fail(operand, "type mismatch",
                 stores ? "a function does not write its parameters"
                        : "a function does not read its result");
  }
}

}  // namespace

void check_access(CheckContext& context) {
  const Instruction& instruction = context.instruction();
  Space space = instruction.modifiers.space;
  if (instruction.modifiers.vector * bytes(instruction.type()) > 16) {
    context.fail("illegal modifier", "a vector has at most 128 bits");
  }
  for (const Operand& operand : instruction.sources) {
    if (operand.kind != Operand::Kind::kAddress) continue;
    switch (operand.base) {
      case Operand::Base::kNone:
        if (space != Space::kLocal) {
          context.fail(operand, "type mismatch", "a constant address stands in .local only");
        }
        break;
      case Operand::Base::kRegister:
        if (bits(context.register_type(operand)) == 32 && !has_short_addresses(space)) {
          context.fail(operand, "type mismatch",
                       fmt::format("an address in .{} has 64 bits", spelling(space)));
        }
        break;
      case Operand::Base::kVariable:
        check_variable_access(context, operand);
        break;
      case Operand::Base::kParameter:
        if (space != Space::kParam || instruction.opcode == Opcode::kSt) {
          context.fail(operand, "type mismatch", "parameters of a kernel are read with ld.param");
        }
        break;
    }
  }
}

void check_address_query(CheckContext& context) {
  const Operand& address = context.source(0);
  if (address.kind == Operand::Kind::kRegister) {
    Type type = context.register_type(address);
    if (agrees(Type::kU64, type, false) || agrees(Type::kU32, type, false)) return;
  }
  context.fail(address, "type mismatch", "expected a register of 32 or 64 bits");
}

void check_window(CheckContext& context) {
  const Operand& address = context.source(0);
  Space space = context.instruction().modifiers.space;
  bool agree = true;
  if (address.kind == Operand::Kind::kVariable) {
    agree = context.module().variables[address.index].space == space;
  } else if (address.kind == Operand::Kind::kParameter) {
    agree = space == Space::kParam;
  } else if (address.kind == Operand::Kind::kFunction) {
    agree = false;
  }
  if (!agree) {
    context.fail(address, "type mismatch",
                 fmt::format("the variable lies not in .{}", spelling(space)));
  }
}

}  // namespace warplock::ptx
