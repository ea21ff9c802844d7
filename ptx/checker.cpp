#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ptx/check_context.h"
#include "ptx/parser.h"

/// From the text of an instruction to a checked one: the form its words have, then its operands.
namespace warplock::ptx {
namespace {

std::string quoted(const RawInstruction& raw) {
  std::string text(raw.opcode.text);
  for (const Word& word : raw.words) text += fmt::format(".{}", word.text);
  return text;
}

/// The operands that a form wants at least and at most.
struct Arity {
  size_t least = 0, most = 0;
};

Arity arity(const CompiledForm& form) {
  Arity result;
  for (const OperandSpec& spec : form.operands) {
    ++result.most;
    if (!spec.optional) ++result.least;
  }
  return result;
}

/// Whether the operands of the text fall into the form's places: their number, and `|` where the
/// form has it.
bool operands_fit(const CompiledForm& form, const RawInstruction& raw) {
  size_t next = 0;
  for (const OperandSpec& spec : form.operands) {
    bool present = next < raw.operands.size() && raw.operands[next].paired == spec.paired;
    if (!present && !spec.optional) return false;
    if (present) ++next;
  }
  return next == raw.operands.size();
}

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

}  // namespace

void Parser::check(const RawInstruction& raw) {
  Instruction out;
  WordMeaning meaning;
  const CompiledForm& form = form_for(raw, meaning);
  out.opcode = form.form->opcode;
  out.modifiers = std::move(meaning.modifiers);
  out.types = meaning.types;
  out.position = raw.opcode.position;
  out.cuda = cuda_;
  out.guard = resolve_guard(raw);
  if (out.opcode == Opcode::kCall) {
    check_call(raw, out);
  } else {
    resolve_operands(raw, form, out);
  }
  if (form.form->check != nullptr) {
    CheckContext context(tokens_, module_, *function_, raw, out);
    form.form->check(context);
  }
  add_instruction(std::move(out));
}

void Parser::add_instruction(Instruction instruction) {
  if (module_.instruction_count++ >= kMaxInstructions) {
    tokens_.fail(instruction.position, "resource limit",
                 fmt::format("a module has at most {} instructions", kMaxInstructions));
  }
  function_->body.push_back(std::move(instruction));
}

const CompiledForm& Parser::form_for(const RawInstruction& raw, WordMeaning& meaning) const {
  std::vector<std::string_view> words;
  for (const Word& word : raw.words) words.push_back(word.text);
  size_t furthest = 0;
  const CompiledForm* with_words = nullptr;
  for (const CompiledForm* form : forms_of(raw.opcode.text)) {
    bool complete = false;
    furthest = std::max(furthest, match_words(*form, words, meaning, complete));
    if (!complete) continue;
    if (form->form->opcode == Opcode::kCall || operands_fit(*form, raw)) return *form;
    with_words = form;
  }
  if (with_words != nullptr) {
    Arity wanted = arity(*with_words);
    std::string count = wanted.least == wanted.most
                            ? fmt::format("{}", wanted.most)
                            : fmt::format("{} to {}", wanted.least, wanted.most);
    tokens_.fail(
        raw.opcode.position, "operand count",
        fmt::format("{} has {} operands, here are {}", quoted(raw), count, raw.operands.size()));
  }
  bool outside = std::any_of(words.begin(), words.end(), is_unsupported_word);
  if (furthest == words.size()) {
    tokens_.fail(raw.opcode.position, outside ? "unsupported" : "illegal modifier",
                 fmt::format("{} lacks a word, such as a type", quoted(raw)));
  }
  const Word& word = raw.words[furthest];
  if (outside && is_unsupported_word(word.text)) {
    tokens_.fail(word.position, "unsupported", fmt::format("'.{}' of {}", word.text, quoted(raw)));
  }
  tokens_.fail(word.position, "illegal modifier",
               fmt::format("'.{}' does not stand here in {}", word.text, quoted(raw)));
}

Guard Parser::resolve_guard(const RawInstruction& raw) {
  Guard guard;
  if (raw.guard.text.empty()) return guard;
  const Symbol* symbol = find(raw.guard.text);
  if (symbol == nullptr) {
    tokens_.fail(raw.guard.position, "undefined symbol",
                 fmt::format("'{}' is not defined", raw.guard.text));
  }
  if (symbol->kind != Symbol::Kind::kRegister ||
      function_->registers[symbol->index].type != Type::kPred) {
    tokens_.fail(raw.guard.position, "type mismatch",
                 fmt::format("the guard '{}' is no predicate", raw.guard.text));
  }
  guard.reg = symbol->index;
  guard.negated = raw.guard_negated;
  return guard;
}

void Parser::resolve_operands(const RawInstruction& raw, const CompiledForm& form,
                              Instruction& out) {
  size_t next = 0;
  for (const OperandSpec& spec : form.operands) {
    bool present = next < raw.operands.size() && raw.operands[next].paired == spec.paired;
    if (!present) continue;
    Operand operand = resolve(raw.operands[next++], spec, out);
    bool first_of_any = spec.kind == OperandSpec::Kind::kAny && form.form->opcode == Opcode::kMov &&
                        out.destinations.empty();
    (spec.destination || first_of_any ? out.destinations : out.sources)
        .push_back(std::move(operand));
  }
}

Operand Parser::resolve(const RawOperand& raw, const OperandSpec& spec,
                        const Instruction& instruction) {
  Operand operand;
  switch (spec.kind) {
    case OperandSpec::Kind::kMemory:
      operand = resolve_address(raw);
      break;
    case OperandSpec::Kind::kLabel:
      operand = resolve_label(raw);
      break;
    case OperandSpec::Kind::kTable:
      operand = resolve_table(raw);
      break;
    case OperandSpec::Kind::kAny:
    case OperandSpec::Kind::kValue:
      operand = resolve_value(raw, spec, type_of(spec, instruction.types), instruction);
      break;
  }
  operand.position = raw.position;
  return operand;
}

/// A branch target, which may stand further down: its place is filled in at the end of the scope.
Operand Parser::resolve_label(const RawOperand& raw) {
  if (raw.kind != RawOperand::Kind::kName || raw.negated || raw.has_offset ||
      !raw.component.empty()) {
    tokens_.fail(raw.position, "type mismatch", "expected a label");
  }
  PendingLabel pending;
  pending.name = raw.name;
  pending.position = raw.position;
  pending.index = static_cast<uint32_t>(function_->body.size());
  scopes_.back().pending.push_back(pending);
  Operand operand;
  operand.kind = Operand::Kind::kLabel;
  return operand;
}

Operand Parser::resolve_table(const RawOperand& raw) {
  const Symbol* symbol = raw.kind == RawOperand::Kind::kName ? find(raw.name) : nullptr;
  if (raw.kind == RawOperand::Kind::kName && symbol == nullptr) {
    tokens_.fail(raw.position, "undefined symbol", fmt::format("'{}' is not defined", raw.name));
  }
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kTable || raw.negated || raw.has_offset ||
      !raw.component.empty()) {
    tokens_.fail(raw.position, "type mismatch", "expected the name of a .branchtargets list");
  }
  Operand operand;
  operand.kind = Operand::Kind::kBranchTable;
  operand.index = symbol->index;
  return operand;
}

Operand Parser::resolve_value(const RawOperand& raw, const OperandSpec& spec, Type type,
                              const Instruction& instruction) {
  bool any = spec.kind == OperandSpec::Kind::kAny;
  switch (raw.kind) {
    case RawOperand::Kind::kName:
      return resolve_name(raw, spec, type, instruction);
    case RawOperand::Kind::kConstant:
      if (spec.destination || spec.only_register) {
        tokens_.fail(raw.position, "type mismatch",
                     spec.destination ? "the destination must be a register"
                                      : "this operand must be a register");
      }
      return resolve_immediate(raw, any ? instruction.types[0] : type);
    case RawOperand::Kind::kVector:
      if (any || (spec.vector && instruction.modifiers.vector > 1)) {
        return resolve_vector(raw, spec, type, instruction);
      }
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

Operand Parser::resolve_vector(const RawOperand& raw, const OperandSpec& spec, Type type,
                               const Instruction& instruction) {
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  if (spec.vector && raw.elements.size() != instruction.modifiers.vector) {
    tokens_.fail(raw.position, "operand count",
                 fmt::format("the vector has {} elements, the instruction wants {}",
                             raw.elements.size(), instruction.modifiers.vector));
  }
  OperandSpec element_spec = spec;
  element_spec.vector = false;
  if (spec.kind == OperandSpec::Kind::kAny) {
    // mov: the elements share the bits of the type.
    element_spec.kind = OperandSpec::Kind::kValue;
    element_spec.destination = instruction.destinations.empty();
    element_spec.sink = element_spec.destination;
    type = element_type(instruction.types[0], raw.elements.size());
    if (type == Type::kNone) {
      tokens_.fail(raw.position, "operand count",
                   fmt::format("a .{} has no {} elements", spelling(instruction.types[0]),
                               raw.elements.size()));
    }
  }
  for (const RawOperand& element : raw.elements) {
    operand.elements.push_back(resolve_value(element, element_spec, type, instruction));
    operand.elements.back().position = element.position;
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
  if (!(type == Type::kPred ? constant.bits <= 1 : fits(constant, width))) {
    tokens_.fail(raw.position, "out of range",
                 fmt::format("the constant does not fit .{}", spelling(type)));
  }
  operand.value = width >= 64 ? constant.bits : constant.bits & ((uint64_t{1} << width) - 1);
  return operand;
}

Operand Parser::resolve_name(const RawOperand& raw, const OperandSpec& spec, Type type,
                             const Instruction& instruction) {
  Operand operand;
  bool any = spec.kind == OperandSpec::Kind::kAny;
  const Symbol* symbol = raw.component.empty() ? find(raw.name) : nullptr;
  if (symbol == nullptr) {
    bool readable = instruction.opcode == Opcode::kMov || instruction.opcode == Opcode::kCvt;
    if (!find_special_register(raw.name, raw.component, operand.special)) {
      std::string full(raw.name);
      if (!raw.component.empty()) full += fmt::format(".{}", raw.component);
      bool unsupported = is_unsupported_special(raw.name);
      tokens_.fail(raw.position, unsupported ? "unsupported" : "undefined symbol",
                   unsupported ? fmt::format("the special register '{}'", full)
                               : fmt::format("'{}' is not defined", full));
    }
    bool is_width = operand.special == SpecialRegister::kWarpSize;
    if (spec.destination || spec.only_register || raw.negated || raw.has_offset ||
        (!readable && !is_width)) {
      tokens_.fail(raw.position, "type mismatch",
                   fmt::format("'{}' does not stand here; read it with mov", raw.name));
    }
    if (is_width && bits(any ? instruction.types[0] : type) < 8) {
      tokens_.fail(raw.position, "type mismatch", "WARP_SZ is an integer");
    }
    operand.kind = Operand::Kind::kSpecial;
    if (!any && !is_width && !agrees(type, type_of(operand.special), spec.wider)) {
      tokens_.fail(raw.position, "type mismatch",
                   fmt::format("'{}' is not of type .{}", raw.name, spelling(type)));
    }
    return operand;
  }
  operand.index = symbol->index;
  switch (symbol->kind) {
    case Symbol::Kind::kRegister: {
      if (raw.has_offset) {
        tokens_.fail(raw.position, "syntax", "an offset is added to addresses only");
      }
      Type reg = function_->registers[symbol->index].type;
      if (!any && !agrees(type, reg, spec.wider)) {
        tokens_.fail(raw.position, "type mismatch",
                     fmt::format("'{}' is of type .{}, the instruction wants .{}", raw.name,
                                 spelling(reg), spelling(type)));
      }
      if (raw.negated && !spec.negatable) {
        tokens_.fail(raw.position, "type mismatch",
                     fmt::format("'!{}' does not stand here", raw.name));
      }
      operand.kind = Operand::Kind::kRegister;
      operand.negated = raw.negated;
      return operand;
    }
    case Symbol::Kind::kVariable:
      operand.kind = Operand::Kind::kVariable;
      break;
    case Symbol::Kind::kParameter:
      operand.kind = Operand::Kind::kParameter;
      break;
    case Symbol::Kind::kFunction:
      operand.kind = Operand::Kind::kFunction;
      break;
    default:
      break;
  }
  bool takes_address =
      (any || spec.address) && !spec.destination && operand.kind != Operand::Kind::kSink;
  if (!takes_address || raw.negated ||
      (operand.kind == Operand::Kind::kFunction && raw.has_offset)) {
    tokens_.fail(raw.position, "type mismatch",
                 fmt::format("'{}' is no register, and the instruction wants one", raw.name));
  }
  operand.offset = raw.offset;
  return operand;
}

Operand Parser::resolve_address(const RawOperand& raw) {
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  if (raw.kind != RawOperand::Kind::kAddress) {
    tokens_.fail(raw.position, "type mismatch", "expected an address in brackets");
  }
  operand.offset = raw.offset;
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
