#include "reference_interp/memory.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

namespace warplock::reference_interp {
namespace {

using ptx::Space;

uint64_t aligned(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The functions that the entry can reach, and the variables that they name.
class Reachable {
 public:
  Reachable(const ptx::Module& module, const ptx::Function& entry) : module_(module) {
    visit(entry);
    while (!pending_.empty()) {
      const uint32_t index = pending_.back();
      pending_.pop_back();
      visit(module.functions[index]);
    }
  }
  bool variable(uint32_t index) const { return variables_.count(index) != 0; }

 private:
  void visit(const ptx::Function& function) {
    for (const ptx::Instruction& instruction : function.body) {
      for (const ptx::Operand& operand : instruction.destinations) visit(operand);
      for (const ptx::Operand& operand : instruction.sources) visit(operand);
    }
  }
  void visit(const ptx::Operand& operand) {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::kFunction && functions_.insert(operand.index).second) {
      pending_.push_back(operand.index);
    }
    if (operand.kind == Kind::kVariable ||
        (operand.kind == Kind::kAddress && operand.base == ptx::Operand::Base::kVariable)) {
      visit_variable(operand.index);
    }
    for (const ptx::Operand& element : operand.elements) visit(element);
  }
  void visit_variable(uint32_t index) {
    if (!variables_.insert(index).second) return;
    for (const ptx::Relocation& relocation : module_.variables[index].relocations) {
      visit_variable(relocation.variable);
    }
  }

  const ptx::Module& module_;
  std::set<uint32_t> functions_, variables_;
  std::vector<uint32_t> pending_;
};

std::vector<uint32_t> by_name(const ptx::Module& module, auto&& wanted) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    if (wanted(module.variables[i], i)) found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    return module.variables[a].name < module.variables[b].name;
  });
  return found;
}

void add_global(Memory& memory, std::string name, bool constant, std::vector<uint8_t> bytes) {
  GlobalObject object;
  object.name = name;
  object.constant = constant;
  object.base = kGlobalBase + (uint64_t{memory.globals.size()} << kGlobalShift);
  object.shadow = Shadow(bytes.size());
  memory.trace_objects.push_back(
      {std::move(name), trace::Space::kGlobal, object.base, bytes.size(), kGlobalReach});
  object.bytes = std::move(bytes);
  memory.globals.push_back(std::move(object));
}

void add_shared(Memory& memory, std::string name, uint64_t size) {
  SharedVariable variable;
  variable.address = kSharedBase + (uint64_t{memory.shared.size()} << kSharedShift);
  variable.size = size;
  variable.offset = memory.shared_bytes;
  variable.trace_object = static_cast<uint32_t>(memory.trace_objects.size());
  memory.shared_bytes = aligned(memory.shared_bytes + size, 16);
  memory.trace_objects.push_back({name, trace::Space::kShared, variable.address, size, 0});
  variable.name = std::move(name);
  memory.shared.push_back(std::move(variable));
}

void add_globals(Memory& memory, const ptx::Module& module) {
  const std::vector<uint32_t> variables = by_name(module, [](const ptx::Variable& v, uint32_t) {
    return v.space == Space::kGlobal || v.space == Space::kConst;
  });
  for (uint32_t index : variables) {
    const ptx::Variable& variable = module.variables[index];
    std::vector<uint8_t> bytes = variable.initializer;
    bytes.resize(variable.size, 0);
    memory.addresses.address[index] =
        kGlobalBase + (uint64_t{memory.globals.size()} << kGlobalShift);
    add_global(memory, variable.name, variable.space == Space::kConst, std::move(bytes));
  }
}

void add_shared_variables(Memory& memory, const ptx::Module& module, const ptx::Function& entry,
                          const executor::Launch& launch) {
  const Reachable reachable(module, entry);
  const auto is_shared = [&](const ptx::Variable& v, uint32_t i) {
    return v.space == Space::kShared && reachable.variable(i);
  };
  std::vector<uint32_t> dynamic;
  for (uint32_t index : by_name(module, is_shared)) {
    const ptx::Variable& variable = module.variables[index];
    if (variable.is_extern && variable.size == 0) {
      dynamic.push_back(index);
      continue;
    }
    memory.addresses.address[index] =
        kSharedBase + (uint64_t{memory.shared.size()} << kSharedShift);
    add_shared(memory, variable.name, variable.size);
    memory.static_shared_bytes += variable.size;
  }
  if (!dynamic.empty() || launch.shared_bytes != 0) {
    for (uint32_t index : dynamic) {
      memory.addresses.address[index] =
          kSharedBase + (uint64_t{memory.shared.size()} << kSharedShift);
    }
    add_shared(memory, "dynamic shared", launch.shared_bytes);
  }
  const uint64_t total = memory.static_shared_bytes + launch.shared_bytes;
  if (total > executor::kMaxSharedBytes || memory.shared.size() > kMaxSharedVariables) {
    throw diagnostics::InputError(diagnostics::error_at(
        *module.source, entry.declared, "resource limit",
        fmt::format("'{}' needs {} bytes of shared memory in {} variables; a CTA has {} bytes, in "
                    "at most {} variables",
                    entry.name, total, memory.shared.size(), executor::kMaxSharedBytes,
                    kMaxSharedVariables)));
  }
}

/// Addresses inside initialisers, once all variables have theirs.
void apply_relocations(Memory& memory, const ptx::Module& module) {
  for (uint32_t index = 0; index < module.variables.size(); ++index) {
    const ptx::Variable& variable = module.variables[index];
    if (variable.space != Space::kGlobal && variable.space != Space::kConst) continue;
    const uint64_t slot = (memory.addresses.address[index] - kGlobalBase) >> kGlobalShift;
    std::vector<uint8_t>& bytes = memory.globals[slot].bytes;
    for (const ptx::Relocation& relocation : variable.relocations) {
      uint64_t value = memory.addresses.address[relocation.variable];
      if (relocation.generic &&
          module.variables[relocation.variable].space == ptx::Space::kShared) {
        value += kSharedWindow;
      }
      value += static_cast<uint64_t>(relocation.addend);
      if (relocation.offset + relocation.bytes <= bytes.size()) {
        std::memcpy(bytes.data() + relocation.offset, &value, relocation.bytes);
      }
    }
  }
}

void add_parameters(Memory& memory, const ptx::Function& entry, const executor::Launch& launch) {
  memory.parameters.resize(entry.parameter_bytes, 0);
  uint64_t buffers = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const executor::Argument& argument = launch.arguments[i];
    uint64_t value = argument.scalar;
    if (argument.is_buffer) value = memory.globals[buffers++].base;
    const uint32_t size = argument.is_buffer ? 8 : argument.scalar_bytes;
    std::memcpy(memory.parameters.data() + entry.parameters[i].offset, &value, size);
  }
}

}  // namespace

Memory make_memory(const ptx::Module& module, const ptx::Function& entry,
                   const executor::Launch& launch) {
  Memory memory;
  memory.addresses.address.resize(module.variables.size(), 0);
  for (const executor::Argument& argument : launch.arguments) {
    if (!argument.is_buffer) continue;
    std::vector<uint8_t> bytes(argument.words.size() * 4);
    if (!bytes.empty()) std::memcpy(bytes.data(), argument.words.data(), bytes.size());
    add_global(memory, argument.name, false, std::move(bytes));
  }
  add_globals(memory, module);
  add_shared_variables(memory, module, entry, launch);
  apply_relocations(memory, module);
  add_parameters(memory, entry, launch);
  memory.local_trace_object = static_cast<uint32_t>(memory.trace_objects.size());
  const bool has_local = std::any_of(module.variables.begin(), module.variables.end(),
                                     [](const auto& v) { return v.space == Space::kLocal; });
  if (has_local) {
    memory.trace_objects.push_back({"local", trace::Space::kLocal, kLocalBase, kMaxLocalBytes, 0});
  }
  return memory;
}

SharedMemory make_shared(const Memory& memory) {
  SharedMemory shared;
  shared.bytes.resize(memory.shared_bytes, 0);
  shared.written.resize(memory.shared_bytes, 0);
  for (const SharedVariable& variable : memory.shared) shared.shadows.emplace_back(variable.size);
  return shared;
}

void LocalMemory::push(uint64_t base, const FunctionCode& function) {
  bytes.resize(base + function.local_bytes, 0);
  state.resize(base);
  state.resize(base + function.local_bytes, kNobodys);
  for (const LocalVariable& variable : function.locals) {
    std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(base + variable.offset), variable.size,
                uint8_t{kUnwritten});
  }
}

void LocalMemory::pop(uint64_t base) {
  bytes.resize(base);
  state.resize(base);
}

}  // namespace warplock::reference_interp
