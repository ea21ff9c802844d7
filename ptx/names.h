#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace warplock::ptx {

/// What a name stands for.
struct Symbol {
  enum class Kind : uint8_t {
    kRegister,       ///< of Function::registers
    kVariable,       ///< of Module::variables
    kParameter,      ///< of the entry's parameters
    kFunction,       ///< of Module::functions
    kLabel,          ///< of Function::body
    kTable,          ///< of Function::branch_tables
    kCallPrototype,  ///< .callprototype and .calltargets, for indirect calls
  };
  Kind kind = Kind::kRegister;
  uint32_t index = 0;
  diagnostics::Position declared;
};

/// A label or table that an instruction or a table names, perhaps before it is defined.
struct PendingLabel {
  std::string_view name;
  diagnostics::Position position;
  enum class User : uint8_t { kInstruction, kTableEntry } user = User::kInstruction;
  uint32_t index = 0;    ///< of Function::body or Function::branch_tables
  uint32_t element = 0;  ///< of the sources or the targets
};

/// The names of one `{ }`; scopes nest, and inner names hide outer ones (PTX ISA 5.4).
struct Scope {
  std::unordered_map<std::string_view, Symbol> names;
  std::vector<PendingLabel> pending;
};

/// The special register of that name, with its component ("%tid", "x"); false when there is none.
bool find_special_register(std::string_view name, std::string_view component,
                           SpecialRegister& found);
/// True for special registers of PTX that a kernel of our subset cannot read.
bool is_unsupported_special(std::string_view name, std::string_view component);

/// Makes every name of the module unique where module.h wants it so, by suffixes "$2", "$3", ...;
/// names of the module itself stay.
void make_names_unique(Module& module);

/// Puts the variables of the module before those of functions and functions into the order of
/// their bodies, declarations first, and renumbers what refers to them. `body_order` holds the
/// indices of functions with a body in text order.
void put_in_order(Module& module, const std::vector<uint32_t>& body_order);

}  // namespace warplock::ptx
