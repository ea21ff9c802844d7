#include "ptx/instruction_text.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "ptx/forms.h"

/// Single instructions as text; the form tables say which words and operands stand where.
namespace warplock::ptx {
namespace {

std::string with_offset(std::string base, int64_t offset) {
  if (offset != 0) base += fmt::format("+{}", offset);
  return base;
}

class InstructionPrinter {
 public:
  InstructionPrinter(const Module& module, const Function& function, const Instruction& instruction)
      : module_(module), function_(function), instruction_(instruction) {}

  std::string run() const {
    std::string out;
    if (instruction_.guard.present()) {
      out = fmt::format("@{}{} ", instruction_.guard.negated ? "!" : "",
                        function_.registers[instruction_.guard.reg].name);
    }
    std::string words;
    const CompiledForm& form = find_form(words);
    out += words;
    if (instruction_.opcode == Opcode::kCall) return out + call();
    std::string operands = operand_list(form);
    if (!operands.empty()) out += " " + operands;
    return out;
  }

 private:
  /// The first form that can say the words and has places for all operands.
  const CompiledForm& find_form(std::string& words) const {
    WordMeaning meaning{instruction_.modifiers, instruction_.types};
    for (const CompiledForm* form : forms_of(instruction_.opcode)) {
      bool is_call = instruction_.opcode == Opcode::kCall;
      if ((is_call || has_places(*form)) && spell_words(*form, meaning, words)) return *form;
    }
    throw std::logic_error(fmt::format("no form of {} says what this instruction says",
                                       spelling(instruction_.opcode)));
  }

  bool is_destination(const CompiledForm& form, const OperandSpec& spec) const {
    return spec.destination ||
           (spec.kind == OperandSpec::Kind::kAny && form.form->opcode == Opcode::kMov &&
            &spec == &form.operands.front());
  }

  bool has_places(const CompiledForm& form) const {
    size_t least[2] = {0, 0}, most[2] = {0, 0};
    for (const OperandSpec& spec : form.operands) {
      size_t side = is_destination(form, spec) ? 0 : 1;
      ++most[side];
      if (!spec.optional) ++least[side];
    }
    size_t have[2] = {instruction_.destinations.size(), instruction_.sources.size()};
    return have[0] >= least[0] && have[0] <= most[0] && have[1] >= least[1] && have[1] <= most[1];
  }

  std::string operand_list(const CompiledForm& form) const {
    std::string out;
    size_t next[2] = {0, 0};
    for (const OperandSpec& spec : form.operands) {
      bool destination = is_destination(form, spec);
      const std::vector<Operand>& list =
          destination ? instruction_.destinations : instruction_.sources;
      size_t& index = next[destination ? 0 : 1];
      if (index >= list.size()) continue;
      if (!out.empty()) out += spec.paired ? "|" : ", ";
      Type type = spec.kind == OperandSpec::Kind::kValue ? type_of(spec, instruction_.types)
                                                         : instruction_.type();
      bool splits = spec.kind == OperandSpec::Kind::kAny;
      out += operand_text(list[index++], type, splits);
    }
    return out;
  }

  std::string call() const {
    const Function& callee = module_.functions[instruction_.sources.front().index];
    auto list = [&](const std::vector<Operand>& operands, size_t first,
                    const std::vector<Parameter>& parameters) {
      std::string out = "(";
      for (size_t i = first; i < operands.size(); ++i) {
        if (i > first) out += ", ";
        out += operand_text(operands[i], parameters[i - first].type, false);
      }
      return out + ")";
    };
    std::string out = " ";
    if (!instruction_.destinations.empty()) {
      out += list(instruction_.destinations, 0, callee.returns) + ", ";
    }
    out += callee.name;
    if (instruction_.sources.size() > 1) {
      out += ", " + list(instruction_.sources, 1, callee.parameters);
    }
    return out;
  }

  /// `splits`: the elements of a vector share the type's bits (mov).
  std::string operand_text(const Operand& operand, Type type, bool splits) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return (operand.negated ? "!" : "") + function_.registers[operand.index].name;
      case Operand::Kind::kImmediate:
        return immediate_text(operand.value, type);
      case Operand::Kind::kSpecial:
        return std::string(spelling(operand.special));
      case Operand::Kind::kVariable:
        return with_offset(module_.variables[operand.index].name, operand.offset);
      case Operand::Kind::kFunction:
        return module_.functions[operand.index].name;
      case Operand::Kind::kParameter:
        return with_offset(function_.parameters[operand.index].name, operand.offset);
      case Operand::Kind::kAddress:
        return fmt::format("[{}]", address_text(operand));
      case Operand::Kind::kVector: {
        std::string out;
        for (const Operand& element : operand.elements) {
          out +=
              (out.empty() ? "" : ", ") + operand_text(element, splits ? Type::kNone : type, false);
        }
        return fmt::format("{{{}}}", out);
      }
      case Operand::Kind::kSink:
        return "_";
      case Operand::Kind::kLabel:
        return label_text(function_, operand.index);
      case Operand::Kind::kBranchTable:
        return function_.branch_tables[operand.index].name;
    }
    throw std::logic_error("operand of no kind");
  }

  std::string address_text(const Operand& operand) const {
    switch (operand.base) {
      case Operand::Base::kNone:
        return fmt::format("{}", operand.offset);
      case Operand::Base::kRegister:
        return with_offset(function_.registers[operand.index].name, operand.offset);
      case Operand::Base::kVariable:
        return with_offset(module_.variables[operand.index].name, operand.offset);
      case Operand::Base::kParameter:
        return with_offset(function_.parameters[operand.index].name, operand.offset);
    }
    throw std::logic_error("address of no kind");
  }

  const Module& module_;
  const Function& function_;
  const Instruction& instruction_;
};

}  // namespace

std::string immediate_text(uint64_t value, Type type) {
  switch (type) {
    case Type::kF32:
      return fmt::format("0f{:08X}", value);
    case Type::kF64:
      return fmt::format("0d{:016X}", value);
    case Type::kS8:
      return fmt::format("{}", static_cast<int8_t>(value));
    case Type::kS16:
      return fmt::format("{}", static_cast<int16_t>(value));
    case Type::kS32:
      return fmt::format("{}", static_cast<int32_t>(value));
    case Type::kS64:
      return fmt::format("{}", static_cast<int64_t>(value));
    default:
      return fmt::format("{}", value);
  }
}

const std::string& label_text(const Function& function, uint32_t target) {
  auto found = std::lower_bound(function.labels.begin(), function.labels.end(), target,
                                [](const Label& label, uint32_t at) { return label.target < at; });
  if (found == function.labels.end() || found->target != target) {
    throw std::logic_error(fmt::format("no label at {} in {}", target, function.name));
  }
  return found->name;
}

std::string to_text(const Module& module, const Function& function,
                    const Instruction& instruction) {
  return InstructionPrinter(module, function, instruction).run();
}

}  // namespace warplock::ptx
