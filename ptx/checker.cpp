#include <algorithm>

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
  auto outside_subset = [&](std::string_view word) {
    return is_unsupported_word(raw.opcode.text, word);
  };
  bool outside = std::any_of(words.begin(), words.end(), outside_subset);
  if (furthest == words.size()) {
    tokens_.fail(raw.opcode.position, outside ? "unsupported" : "illegal modifier",
                 fmt::format("{} lacks a word, such as a type", quoted(raw)));
  }
  const Word& word = raw.words[furthest];
  if (outside_subset(word.text)) {
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
      operand = resolve_address(raw, instruction);
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

}  // namespace warplock::ptx
