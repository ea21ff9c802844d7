#include "circuit/lowering.h"

namespace warplock::circuit {

namespace {

/// Follows local addresses through the registers of one function.
class LocalAddresses {
 public:
  LocalAddresses(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), holds_(function.registers.size(), false) {}

  void mark(std::vector<bool>& elided) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& i : function_.body) {
        if (elided[i.id] && marked(i)) continue;
        if (!computes(i) || !reads_address(i)) continue;
        elided[i.id] = true;
        for (const ptx::Operand& destination : i.destinations)
          changed = hold(destination) || changed;
      }
    }
  }

 private:
  static bool computes(const ptx::Instruction& i) {
    switch (i.opcode) {
      case ptx::Opcode::kLd:
      case ptx::Opcode::kLdu:
      case ptx::Opcode::kAtom:
      case ptx::Opcode::kSt:
      case ptx::Opcode::kRed:
      case ptx::Opcode::kSetp:
        return false;
      default:
        return true;
    }
  }

  bool marked(const ptx::Instruction& i) const {
    for (const ptx::Operand& destination : i.destinations) {
      if (destination.kind == ptx::Operand::Kind::kRegister && !holds_[destination.index])
        return false;
    }
    return true;
  }

  bool reads_address(const ptx::Instruction& i) const {
    for (const ptx::Operand& source : i.sources) {
      if (source.kind == ptx::Operand::Kind::kRegister && holds_[source.index]) return true;
      if (source.kind == ptx::Operand::Kind::kVariable &&
          module_.variables[source.index].space == ptx::Space::kLocal) {
        return true;
      }
    }
    return false;
  }

  bool hold(const ptx::Operand& destination) {
    if (destination.kind != ptx::Operand::Kind::kRegister || holds_[destination.index])
      return false;
    holds_[destination.index] = true;
    return true;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<bool> holds_;
};

}  // namespace

void mark_local_addresses(const ptx::Module& module, std::vector<bool>& elided) {
  for (const ptx::Function& function : module.functions) {
    LocalAddresses(module, function).mark(elided);
  }
}

}  // namespace warplock::circuit
