#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/forms.h"
#include "ptx/module.h"
#include "ptx/names.h"
#include "ptx/parse.h"
#include "ptx/syntax.h"
#include "ptx/token_stream.h"

namespace warplock::ptx {

/// Reads a module in one pass: names are declared before they are used, except labels, which are
/// resolved when their scope ends. One object reads one text.
class Parser {
 public:
  explicit Parser(std::shared_ptr<const diagnostics::SourceText> source);
  std::shared_ptr<const Module> run();

 private:
  struct Linkage {
    bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
    bool any() const { return is_extern || is_visible || is_weak || is_common; }
  };
  /// A type with what may stand before it in a declaration: .align 8 .v4 .f32.
  struct DeclaredType {
    Type type = Type::kNone;
    uint32_t alignment = 0;  ///< 0: not given
    uint32_t vector = 1;
    diagnostics::Position position;
  };

  // parser.cpp: the module and its directives
  void header();
  void module_item();
  void file_directive();
  void skip_section();
  void skip_statement();
  void check_declarations();
  void finish();

  // declaration_parser.cpp: variables
  bool at_space() const;
  void variables(const Linkage& linkage);
  void variable(const DeclaredType& declared, Space space, const Linkage& linkage);
  DeclaredType declared_type(std::string_view what);
  std::vector<uint64_t> dimensions(bool& open);
  uint32_t add_variable(Variable variable, diagnostics::Position position);
  void check_limits(const Variable& variable);
  const Symbol* earlier_extern(const Word& name, const Variable& variable) const;

  // initializer_parser.cpp
  void initializer(Variable& variable, bool open);
  uint64_t initialize_level(Variable& variable, size_t level, uint64_t element, uint64_t count);
  void initialize_element(Variable& variable, uint64_t element);

  // function_parser.cpp: heads of functions
  void function(const Linkage& linkage, bool is_entry);
  std::vector<Parameter> parameter_list(bool is_entry);
  Parameter parameter(bool is_entry);
  void performance_directives(Function& function);
  void declare_parameters(Function& function);
  uint32_t declare_function(Function header, const Word& name, bool is_extern);

  // body_parser.cpp: statements
  void body();
  void statement();
  void registers();
  void add_register(std::string_view name, Type type, diagnostics::Position position);
  void loc_directive();
  void label(const Word& name);
  void branch_table(const Word& name);
  void open_scope();
  void close_scope();

  // instruction_parser.cpp: the text of instructions
  void instruction();
  RawOperand operand(bool in_call);
  RawOperand address();
  RawOperand list(char open, char close, RawOperand::Kind kind);
  int64_t offset();

  // checker.cpp: what instructions mean
  void check(const RawInstruction& raw);
  const CompiledForm& form_for(const RawInstruction& raw, WordMeaning& meaning) const;
  void resolve_operands(const RawInstruction& raw, const CompiledForm& form, Instruction& out);
  Operand resolve(const RawOperand& raw, const OperandSpec& spec, const Instruction& instruction);
  Operand resolve_label(const RawOperand& raw);
  Operand resolve_table(const RawOperand& raw);
  Guard resolve_guard(const RawInstruction& raw);
  void add_instruction(Instruction instruction);

  // operand_resolver.cpp: names, constants and addresses in operands
  Operand resolve_value(const RawOperand& raw, const OperandSpec& spec, Type type,
                        const Instruction& instruction);
  Operand resolve_name(const RawOperand& raw, const OperandSpec& spec, Type type,
                       const Instruction& instruction);
  Operand resolve_special(const RawOperand& raw, const OperandSpec& spec, Type type,
                          const Instruction& instruction);
  Operand resolve_immediate(const RawOperand& raw, Type type);
  Operand resolve_address(const RawOperand& raw, const Instruction& instruction);
  Operand resolve_vector(const RawOperand& raw, const OperandSpec& spec, Type type,
                         const Instruction& instruction);

  // call.cpp
  void check_call(const RawInstruction& raw, Instruction& instruction);
  Operand call_argument(const RawOperand& raw, const Parameter& parameter, bool is_return);

  const Symbol* find(std::string_view name) const;
  void declare(std::string_view name, Symbol symbol);
  std::string_view keep(std::string name);
  void record(const Failure& failure);
  [[noreturn]] void refuse();

  std::shared_ptr<const diagnostics::SourceText> source_;
  TokenStream tokens_;
  std::vector<diagnostics::Diagnostic> errors_;
  Module module_;
  Function* function_ = nullptr;  ///< the one whose body is being read
  uint32_t function_index_ = kNoIndex;
  std::vector<Scope> scopes_;  ///< the module's first
  std::vector<uint32_t> body_order_;
  std::unordered_set<uint32_t> extern_functions_;
  std::deque<std::string> kept_names_;
  std::unordered_map<uint64_t, uint32_t> files_;  ///< number in the text -> index
  std::unordered_set<uint64_t> named_files_;
  CudaPosition cuda_;
  std::array<uint64_t, 6> bytes_in_{};  ///< sizes of all variables, by space
  uint32_t register_count_ = 0;
};

}  // namespace warplock::ptx
