#include <numeric>

#include "circuit/analysis.h"
#include "circuit/optimize.h"

namespace warplock::circuit::ir {

namespace {

/// Reaching definitions, and a union-find over them: definitions that reach one use belong
/// together. Every register also has a definition at the beginning, number = the register's own.
class Webs {
 public:
  explicit Webs(Code& code) : code_(code) {
    definitions_ = code.registers;
    register_of_.resize(code.registers);
    std::iota(register_of_.begin(), register_of_.end(), 0);
    for (Block& block : code.blocks) {
      for (Instruction& i : block.instructions) {
        if (!i.writes()) continue;
        register_of_.push_back(i.destination);
        ++definitions_;
      }
    }
    parent_.resize(definitions_);
    std::iota(parent_.begin(), parent_.end(), 0);
    of_register_.resize(code.registers);
    for (uint32_t d = 0; d < definitions_; ++d) of_register_[register_of_[d]].push_back(d);
  }

  void run() {
    find_reaching();
    walk([this](Value& value, const RegisterSet& reaching) { unite(value, reaching); },
         [](Instruction&, uint32_t) {});
    // The web of the beginning keeps the register; the first web of one never read there, too.
    std::vector<Register> name(definitions_, kNoRegister);
    std::vector<bool> taken(code_.registers, false);
    const uint32_t registers = code_.registers;
    for (uint32_t d = registers; d < definitions_; ++d) {
      const uint32_t root = find(d);
      if (name[root] != kNoRegister) continue;
      const Register reg = register_of_[d];
      name[root] = taken[reg] ? code_.registers++ : reg;
      taken[reg] = true;
    }
    for (Register reg = 0; reg < registers; ++reg) {
      if (name[find(reg)] == kNoRegister) name[find(reg)] = reg;
    }
    walk(
        [&](Value& value, const RegisterSet& reaching) {
          if (!value.is_register() || value.value >= registers) return;
          for (uint32_t d : of_register_[value.value]) {
            if (!reaching.has(d)) continue;
            value.value = name[find(d)];
            return;
          }
        },
        [&](Instruction& i, uint32_t d) { i.destination = name[find(d)]; });
  }

 private:
  uint32_t find(uint32_t d) {
    while (parent_[d] != d) d = parent_[d] = parent_[parent_[d]];
    return d;
  }

  void unite(const Value& value, const RegisterSet& reaching) {
    if (!value.is_register()) return;
    uint32_t first = kNoBlock;
    for (uint32_t d : of_register_[value.value]) {
      if (!reaching.has(d)) continue;
      if (first == kNoBlock) first = find(d);
      parent_[find(d)] = first;
    }
  }

  void define(RegisterSet& reaching, Register reg, uint32_t d) const {
    for (uint32_t other : of_register_[reg]) reaching.remove(other);
    reaching.add(d);
  }

  void find_reaching() {
    in_.assign(code_.blocks.size(), RegisterSet(definitions_));
    for (Register reg = 0; reg < code_.registers; ++reg) in_[0].add(reg);
    for (bool changed = true; changed;) {
      changed = false;
      uint32_t next = code_.registers;
      for (size_t b = 0; b < code_.blocks.size(); ++b) {
        RegisterSet reaching = in_[b];
        for (const Instruction& i : code_.blocks[b].instructions) {
          if (i.writes()) define(reaching, i.destination, next++);
        }
        for (uint32_t to : successors(code_.blocks[b]))
          changed = in_[to].unite(reaching) || changed;
      }
    }
  }

  /// Calls `use` for every value that is read, events' included, and `write` for every definition.
  template <class Use, class Write>
  void walk(Use use, Write write) {
    uint32_t next = static_cast<uint32_t>(of_register_.size());
    for (size_t b = 0; b < code_.blocks.size(); ++b) {
      Block& block = code_.blocks[b];
      RegisterSet reaching = in_[b];
      for (Instruction& i : block.instructions) {
        for_each_use(i, [&](Value& value) { use(value, reaching); });
        for (Event& event : i.events) use(event.condition, reaching);
        const Register written = i.destination;
        // The sources of events are read before the instruction writes.
        for (Event& event : i.events) {
          for_each_source(event, [&](Source& source) { use(source.value, reaching); });
        }
        if (!i.writes()) continue;
        define(reaching, written, next);
        write(i, next++);
      }
      use(block.predicate, reaching);
    }
  }

  Code& code_;
  uint32_t definitions_ = 0;
  std::vector<Register> register_of_;
  std::vector<std::vector<uint32_t>> of_register_;
  std::vector<uint32_t> parent_;
  std::vector<RegisterSet> in_;
};

}  // namespace

void split_webs(Code& code) {
  Webs(code).run();
}

}  // namespace warplock::circuit::ir
