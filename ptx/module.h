#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "ptx/types.h"

/// A checked PTX module: names resolved, every instruction one that PTX allows, operands in the bit
/// pattern of their type. `parse.h` makes one from text, `print.h` writes it back.
namespace warplock::ptx {

constexpr uint32_t kNoIndex = 0xffffffff;

/// A register declared by .reg, or a register parameter of a device function.
struct Register {
  std::string name;  ///< unique in its function: shadowing names get a suffix "$2", "$3", ...
  Type type = Type::kNone;
  diagnostics::Position declared;
};

/// An address inside an initialiser: 4 or 8 bytes at `offset` hold `variable`'s address + `addend`.
struct Relocation {
  uint32_t offset = 0;
  uint8_t bytes = 8;
  uint32_t variable = 0;  ///< index into Module::variables
  int64_t addend = 0;
  bool generic = false;  ///< spelled generic(name)
};

/// A variable in a state space: of the module, or declared in a function body (shared, local, and
/// the .param variables of call sequences).
struct Variable {
  std::string name;  ///< unique in the module
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  uint32_t alignment = 1;
  uint64_t size = 0;                 ///< bytes; 0 for .extern .shared x[]
  std::vector<uint64_t> dimensions;  ///< empty for a scalar
  std::vector<uint8_t> initializer;  ///< shorter than `size` or empty: the rest is zero
  bool has_initializer = false;
  std::vector<Relocation> relocations;
  bool is_extern = false;
  bool is_visible = false;
  uint32_t function = kNoIndex;  ///< the function whose body declares it; kNoIndex = the module
  /// What a .param variable of a device function is: its body reads parameters and writes results.
  enum class Role : uint8_t { kVariable, kParameter, kResult } role = Role::kVariable;
  diagnostics::Position declared;
};

struct Operand {
  enum class Kind : uint8_t {
    kRegister,   ///< `index` into Function::registers; `negated` for !p
    kImmediate,  ///< `value`, sign- or zero-extended bit pattern cut to the operand's width
    kSpecial,    ///< `special`
    kVariable,   ///< the address of Module::variables[index], plus `offset`
    kFunction,   ///< Module::functions[index]
    kParameter,  ///< the address of the entry's parameter `index`, plus `offset`
    kAddress,    ///< memory: `base` says what is added to `offset`
    kVector,     ///< `elements`
    kSink,       ///< _
    kLabel,      ///< branch target: `index` is an index into Function::body (body.size() = the end)
    kBranchTable,  ///< `index` into Function::branch_tables
  };
  enum class Base : uint8_t { kNone, kRegister, kVariable, kParameter };  ///< kNone: [immediate]

  Kind kind = Kind::kSink;
  Base base = Base::kNone;
  bool negated = false;
  SpecialRegister special = SpecialRegister::kTidX;
  uint32_t index = 0;
  uint64_t value = 0;
  int64_t offset = 0;
  std::vector<Operand> elements;
  diagnostics::Position position;
};

/// @p or @!p.
struct Guard {
  uint32_t reg = kNoIndex;  ///< predicate register; kNoIndex = none
  bool negated = false;
  bool present() const { return reg != kNoIndex; }
};

/// Where .loc says an instruction comes from; `line` 0 = unknown.
struct CudaPosition {
  uint32_t file = 0;  ///< index into Module::files
  uint32_t line = 0;
  uint32_t column = 0;
};

struct Instruction {
  Opcode opcode = Opcode::kNop;
  Modifiers modifiers;
  /// The types as spelled, in order: add.u32 {u32}; cvt.u8.s32 {u8, s32}; set.lt.u32.s32 {u32,
  /// s32}; dp4a.s32.u32 {s32, u32}. Barriers and branches have none.
  std::array<Type, 2> types{Type::kNone, Type::kNone};
  Guard guard;
  /// Destinations and sources, in order of spelling. shfl d|p, setp p|q and match d|p have two
  /// destinations. st has none: sources are {address, value}. ld: {d}, {address}. atom: {d},
  /// {address, b[, c]}; red: {}, {address, b}. call: returns in destinations; sources are
  /// {function, arguments...}. bra: {}, {label}; brx.idx: {}, {index, table}.
  /// bar: {}, {barrier[, threads]}; bar.red: {d}, {barrier[, threads], predicate}. A mov that packs
  /// or unpacks has one kVector operand, whose elements share the bits of the type.
  std::vector<Operand> destinations;
  std::vector<Operand> sources;
  uint32_t id = 0;  ///< position in the module, counted over all functions in text order
  diagnostics::Position position;
  CudaPosition cuda;

  Type type() const { return types[0]; }
};

struct Label {
  std::string name;  ///< unique in its function
  uint32_t target = 0;
};

struct BranchTable {
  std::string name;
  std::vector<uint32_t> targets;  ///< indices into Function::body
};

/// A parameter of an entry (bytes in .param space), or of a device function (a register, or a
/// .param variable).
struct Parameter {
  std::string name;
  Type type = Type::kNone;
  uint32_t alignment = 1;
  uint32_t offset = 0;           ///< entries: place in the parameter space
  uint32_t size = 0;             ///< bytes
  uint32_t reg = kNoIndex;       ///< device functions: the register, when it is one
  uint32_t variable = kNoIndex;  ///< device functions: the .param variable, when it is one
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_visible = false;
  bool is_declaration = false;  ///< a prototype whose body stands elsewhere
  std::vector<Parameter> returns;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;  ///< entries: size of the parameter space
  std::vector<Register> registers;
  std::vector<Instruction> body;
  std::vector<Label> labels;  ///< sorted by target
  std::vector<BranchTable> branch_tables;
  std::array<uint32_t, 3> max_ntid{0, 0, 0};  ///< .maxntid; 0 = not given
  std::array<uint32_t, 3> req_ntid{0, 0, 0};
  diagnostics::Position declared;
};

struct Module {
  std::shared_ptr<const diagnostics::SourceText> source;
  uint32_t version_major = 0, version_minor = 0;
  std::string target;
  uint32_t address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> files;  ///< .file names; index = Module's own numbering
  uint32_t instruction_count = 0;  ///< over all functions

  /// The entry of that name, or null.
  const Function* find_entry(std::string_view name) const;
};

/// The instruction as PTX text with its guard, without the semicolon: "@%p1 add.u32 %r1, %r2, 3".
std::string to_text(const Module& module, const Function& function, const Instruction& instruction);

}  // namespace warplock::ptx
