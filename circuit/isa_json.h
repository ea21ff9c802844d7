#pragma once

#include <memory>
#include <string>

#include "circuit/isa.h"
#include "diagnostics/diagnostic.h"

/// The machine and its programs as JSON (docs/machine.md has the keys).
namespace warplock::circuit {

/// Reads a SPEC.json; what it does not say is as in the machine that ships. Throws `InputError`
/// with the place of what is wrong: an unknown key, a value out of range, a machine that cannot be
/// built.
MachineSpec parse_spec(std::shared_ptr<const diagnostics::SourceText> source);
std::string to_json(const MachineSpec& spec);

/// Reads a program that `to_json` wrote, or one written by hand. Throws `InputError` likewise.
MachineProgram parse_program(std::shared_ptr<const diagnostics::SourceText> source);
std::string to_json(const MachineProgram& program);

}  // namespace warplock::circuit
