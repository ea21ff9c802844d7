#include "ptx/module_difference.h"

#include <fmt/format.h>

namespace warplock::ptx {
namespace {

/// Compares field by field and remembers the first field that differs. `at` says where it is.
class Comparison {
 public:
  const std::string& result() const { return found_; }

  template <typename T>
  void field(const std::string& at, const T& a, const T& b) {
    if (found_.empty() && !(a == b)) found_ = at;
  }

  template <typename T, typename Each>
  void list(const std::string& at, const std::vector<T>& a, const std::vector<T>& b, Each each) {
    field(at + ".size", a.size(), b.size());
    for (size_t i = 0; found_.empty() && i < a.size(); ++i)
      each(fmt::format("{}[{}]", at, i), a[i], b[i]);
  }

  void module(const Module& a, const Module& b) {
    field("version_major", a.version_major, b.version_major);
    field("version_minor", a.version_minor, b.version_minor);
    field("target", a.target, b.target);
    field("address_size", a.address_size, b.address_size);
    field("files", a.files, b.files);
    field("instruction_count", a.instruction_count, b.instruction_count);
    list("variables", a.variables, b.variables,
         [this](const std::string& at, const Variable& x, const Variable& y) {
           variable(at, x, y);
         });
    list("functions", a.functions, b.functions,
         [this](const std::string& at, const Function& x, const Function& y) {
           function(at, x, y);
         });
  }

 private:
  void variable(const std::string& at, const Variable& a, const Variable& b) {
    field(at + ".name", a.name, b.name);
    field(at + ".space", a.space, b.space);
    field(at + ".type", a.type, b.type);
    field(at + ".alignment", a.alignment, b.alignment);
    field(at + ".size", a.size, b.size);
    field(at + ".dimensions", a.dimensions, b.dimensions);
    field(at + ".initializer", a.initializer, b.initializer);
    field(at + ".has_initializer", a.has_initializer, b.has_initializer);
    field(at + ".is_extern", a.is_extern, b.is_extern);
    field(at + ".is_visible", a.is_visible, b.is_visible);
    field(at + ".function", a.function, b.function);
    field(at + ".role", a.role, b.role);
    list(at + ".relocations", a.relocations, b.relocations,
         [this](const std::string& path, const Relocation& x, const Relocation& y) {
           field(path + ".offset", x.offset, y.offset);
           field(path + ".bytes", x.bytes, y.bytes);
           field(path + ".variable", x.variable, y.variable);
           field(path + ".addend", x.addend, y.addend);
           field(path + ".generic", x.generic, y.generic);
         });
  }

  void parameter(const std::string& at, const Parameter& a, const Parameter& b) {
    field(at + ".name", a.name, b.name);
    field(at + ".type", a.type, b.type);
    field(at + ".alignment", a.alignment, b.alignment);
    field(at + ".offset", a.offset, b.offset);
    field(at + ".size", a.size, b.size);
    field(at + ".reg", a.reg, b.reg);
    field(at + ".variable", a.variable, b.variable);
  }

  void function(const std::string& at, const Function& a, const Function& b) {
    field(at + ".name", a.name, b.name);
    field(at + ".is_entry", a.is_entry, b.is_entry);
    field(at + ".is_visible", a.is_visible, b.is_visible);
    field(at + ".is_declaration", a.is_declaration, b.is_declaration);
    field(at + ".parameter_bytes", a.parameter_bytes, b.parameter_bytes);
    field(at + ".max_ntid", a.max_ntid, b.max_ntid);
    field(at + ".req_ntid", a.req_ntid, b.req_ntid);
    auto parameters = [this](const std::string& path, const Parameter& x, const Parameter& y) {
      parameter(path, x, y);
    };
    list(at + ".returns", a.returns, b.returns, parameters);
    list(at + ".parameters", a.parameters, b.parameters, parameters);
    list(at + ".registers", a.registers, b.registers,
         [this](const std::string& path, const Register& x, const Register& y) {
           field(path + ".name", x.name, y.name);
           field(path + ".type", x.type, y.type);
         });
    list(at + ".labels", a.labels, b.labels,
         [this](const std::string& path, const Label& x, const Label& y) {
           field(path + ".name", x.name, y.name);
           field(path + ".target", x.target, y.target);
         });
    list(at + ".branch_tables", a.branch_tables, b.branch_tables,
         [this](const std::string& path, const BranchTable& x, const BranchTable& y) {
           field(path + ".name", x.name, y.name);
           field(path + ".targets", x.targets, y.targets);
         });
    list(at + ".body", a.body, b.body,
         [this](const std::string& path, const Instruction& x, const Instruction& y) {
           instruction(path, x, y);
         });
  }

  void instruction(const std::string& at, const Instruction& a, const Instruction& b) {
    field(at + ".opcode", a.opcode, b.opcode);
    field(at + ".modifiers", a.modifiers, b.modifiers);
    field(at + ".types", a.types, b.types);
    field(at + ".guard.reg", a.guard.reg, b.guard.reg);
    field(at + ".guard.negated", a.guard.negated, b.guard.negated);
    field(at + ".id", a.id, b.id);
    field(at + ".cuda.file", a.cuda.file, b.cuda.file);
    field(at + ".cuda.line", a.cuda.line, b.cuda.line);
    field(at + ".cuda.column", a.cuda.column, b.cuda.column);
    auto operands = [this](const std::string& path, const Operand& x, const Operand& y) {
      operand(path, x, y);
    };
    list(at + ".destinations", a.destinations, b.destinations, operands);
    list(at + ".sources", a.sources, b.sources, operands);
  }

  void operand(const std::string& at, const Operand& a, const Operand& b) {
    field(at + ".kind", a.kind, b.kind);
    field(at + ".base", a.base, b.base);
    field(at + ".negated", a.negated, b.negated);
    field(at + ".special", a.special, b.special);
    field(at + ".index", a.index, b.index);
    field(at + ".value", a.value, b.value);
    field(at + ".offset", a.offset, b.offset);
    list(at + ".elements", a.elements, b.elements,
         [this](const std::string& path, const Operand& x, const Operand& y) {
           operand(path, x, y);
         });
  }

  std::string found_;
};

}  // namespace

std::string first_difference(const Module& a, const Module& b) {
  Comparison comparison;
  comparison.module(a, b);
  return comparison.result();
}

}  // namespace warplock::ptx
