#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "ptx/forms.h"
#include "ptx/instruction_text.h"
#include "ptx/print.h"

/// Modules as PTX text. Names are unique in a function (see module.h), so that all declarations can
/// stand at its top and its braces need no nesting.
namespace warplock::ptx {
namespace {

/// .TYPE name[size], with .align where it is not the natural one.
std::string declaration(const Parameter& parameter) {
  std::string out;
  if (parameter.reg != kNoIndex)
    return fmt::format(".reg .{} {}", spelling(parameter.type), parameter.name);
  out = ".param ";
  if (parameter.alignment != bytes(parameter.type))
    out += fmt::format(".align {} ", parameter.alignment);
  out += fmt::format(".{} {}", spelling(parameter.type), parameter.name);
  if (parameter.size != bytes(parameter.type)) {
    out += fmt::format("[{}]", parameter.size / bytes(parameter.type));
  }
  return out;
}

std::string declaration(const std::vector<Parameter>& parameters) {
  std::string out = "(";
  for (const Parameter& parameter : parameters) {
    out += fmt::format("{}\n\t{}", out.size() > 1 ? "," : "", declaration(parameter));
  }
  return out + ")";
}

class ModulePrinter {
 public:
  explicit ModulePrinter(const Module& module) : module_(module) {}

  std::string run() {
    out_ = fmt::format(".version {}.{}\n.target {}\n.address_size {}\n\n", module_.version_major,
                       module_.version_minor, module_.target, module_.address_size);
    for (size_t i = 0; i < module_.files.size(); ++i) {
      out_ += fmt::format(".file {} \"{}\"\n", i + 1, module_.files[i]);
    }
    prototypes();
    for (const Variable& one : module_.variables) {
      if (one.function == kNoIndex) variable(one, "");
    }
    for (const Function& one : module_.functions) {
      if (!one.is_declaration) function(one);
    }
    return std::move(out_);
  }

 private:
  void head(const Function& function, std::string_view linkage) {
    out_ += fmt::format("{}{} ", linkage, function.is_entry ? ".entry" : ".func");
    if (!function.returns.empty()) out_ += declaration(function.returns) + " ";
    out_ += function.name + declaration(function.parameters);
  }

  /// What is called before its body stands in the text, or has none.
  void prototypes() {
    std::vector<bool> wanted(module_.functions.size(), false);
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      wanted[i] = wanted[i] || module_.functions[i].is_declaration;
      for (const Instruction& instruction : module_.functions[i].body) {
        for (const Operand& operand : instruction.sources) {
          if (operand.kind == Operand::Kind::kFunction && operand.index > i) {
            wanted[operand.index] = true;
          }
        }
      }
    }
    for (size_t i = 0; i < module_.functions.size(); ++i) {
      if (!wanted[i]) continue;
      const Function& function = module_.functions[i];
      head(function, function.is_declaration ? ".extern " : function.is_visible ? ".visible " : "");
      out_ += ";\n";
    }
  }

  void variable(const Variable& variable, std::string_view indent) {
    out_ += indent;
    if (variable.is_extern) out_ += ".extern ";
    if (variable.is_visible) out_ += ".visible ";
    out_ += fmt::format(".{} .align {} .{} {}", spelling(variable.space), variable.alignment,
                        spelling(variable.type), variable.name);
    bool is_open = variable.size == 0;
    for (uint64_t dimension : variable.dimensions) {
      out_ += is_open && dimension == 0 ? "[]" : fmt::format("[{}]", dimension);
    }
    if (variable.has_initializer) initializer(variable);
    out_ += ";\n";
  }

  void initializer(const Variable& variable) {
    out_ += " = ";
    uint32_t width = bytes(variable.type);
    std::unordered_map<uint64_t, const Relocation*> relocations;
    for (const Relocation& relocation : variable.relocations) {
      relocations[relocation.offset / width] = &relocation;
    }
    level(variable, relocations, 0, 0);
  }

  using Relocations = std::unordered_map<uint64_t, const Relocation*>;

  void level(const Variable& variable, const Relocations& relocations, size_t depth,
             uint64_t element) {
    uint32_t width = bytes(variable.type);
    if (depth == variable.dimensions.size()) {
      auto relocation = relocations.find(element);
      if (relocation != relocations.end()) return address(*relocation->second);
      uint64_t value = 0;
      for (uint32_t i = 0; i < width; ++i) {
        value |= uint64_t{variable.initializer[element * width + i]} << (8 * i);
      }
      out_ += immediate_text(value, variable.type);
      return;
    }
    uint64_t step = 1;
    for (size_t i = depth + 1; i < variable.dimensions.size(); ++i) step *= variable.dimensions[i];
    uint64_t given = variable.initializer.size() / width;
    out_ += '{';
    for (uint64_t i = 0; i < variable.dimensions[depth] && element < given; ++i, element += step) {
      if (i > 0) out_ += ", ";
      level(variable, relocations, depth + 1, element);
    }
    out_ += '}';
  }

  void address(const Relocation& relocation) {
    const std::string& name = module_.variables[relocation.variable].name;
    out_ += relocation.generic ? fmt::format("generic({})", name) : name;
    if (relocation.addend != 0) out_ += fmt::format("+{}", relocation.addend);
  }

  void function(const Function& function) {
    out_ += '\n';
    head(function, function.is_visible ? ".visible " : "");
    out_ += '\n';
    for (auto [word, sizes] :
         {std::pair{".maxntid", &function.max_ntid}, std::pair{".reqntid", &function.req_ntid}}) {
      if ((*sizes)[0] == 0) continue;
      out_ += fmt::format("{} {}, {}, {}\n", word, (*sizes)[0], (*sizes)[1], (*sizes)[2]);
    }
    out_ += "{\n";
    registers(function);
    uint32_t index = static_cast<uint32_t>(&function - module_.functions.data());
    for (const Variable& one : module_.variables) {
      if (one.function == index && one.role == Variable::Role::kVariable) variable(one, "\t");
    }
    body(function);
    out_ += "}\n";
  }

  /// Registers in their order: %r0, %r1, ... of one type as %r<N>.
  void registers(const Function& function) {
    size_t next = 0;
    for (const std::vector<Parameter>* list : {&function.returns, &function.parameters}) {
      for (const Parameter& parameter : *list) next += parameter.reg != kNoIndex ? 1 : 0;
    }
    while (next < function.registers.size()) {
      const Register& first = function.registers[next];
      size_t end = next + 1;
      std::string stem = first.name.substr(0, first.name.size() - 1);
      bool numbered = first.name.size() > 1 && first.name.back() == '0' && stem != "%";
      while (numbered && end < function.registers.size() &&
             function.registers[end].type == first.type &&
             function.registers[end].name == fmt::format("{}{}", stem, end - next)) {
        ++end;
      }
      numbered = end > next + 1;
      out_ += fmt::format("\t.reg .{} {};\n", spelling(first.type),
                          numbered ? fmt::format("{}<{}>", stem, end - next) : first.name);
      next = end;
    }
  }

  void body(const Function& function) {
    for (const BranchTable& table : function.branch_tables) {
      std::string targets;
      for (uint32_t target : table.targets) {
        targets += (targets.empty() ? "" : ", ") + label_text(function, target);
      }
      out_ += fmt::format("{}: .branchtargets {};\n", table.name, targets);
    }
    CudaPosition cuda;
    auto label = function.labels.begin();
    auto labels_of = [&](size_t index) {
      for (; label != function.labels.end() && label->target <= index; ++label) {
        out_ += label->name + ":\n";
      }
    };
    for (size_t i = 0; i < function.body.size(); ++i) {
      const Instruction& instruction = function.body[i];
      labels_of(i);
      const CudaPosition& at = instruction.cuda;
      if (at.file != cuda.file || at.line != cuda.line || at.column != cuda.column) {
        cuda = at;
        out_ += fmt::format("\t.loc {} {} {}\n", at.file + 1, at.line, at.column);
      }
      out_ += fmt::format("\t{};\n", to_text(module_, function, instruction));
    }
    labels_of(function.body.size());
  }

  const Module& module_;
  std::string out_;
};

}  // namespace

std::string print(const Module& module) {
  return ModulePrinter(module).run();
}

}  // namespace warplock::ptx
