#include <map>

#include "circuit/analysis.h"
#include "circuit/pack.h"

namespace warplock::circuit {

namespace {

using ir::Instruction;
using ir::Value;

bool makes_predicate(MachineOp op) {
  return op == MachineOp::kLtU || op == MachineOp::kLtS || op == MachineOp::kEq ||
         op == MachineOp::kVoteAny || op == MachineOp::kVoteAll;
}

/// One block: words that the machine wants in registers are made in front of their first use, those
/// of a serial block at the end of the blocks before it.
class BlockLegalizer {
 public:
  BlockLegalizer(ir::Code& code, uint32_t number) : code_(code), number_(number) {}

  void run() {
    std::vector<Instruction> old = std::move(code_.blocks[number_].instructions);
    code_.blocks[number_].instructions.clear();
    for (Instruction& i : old) {
      legalize(i);
      if (i.writes() && makes_predicate(i.op) && !i.guarded) predicates_[i.destination] = true;
      out().push_back(std::move(i));
    }
  }

  std::vector<Instruction> hoisted;  ///< of a serial block

 private:
  std::vector<Instruction>& out() { return code_.blocks[number_].instructions; }

  Value in_register(Value value, const Instruction& user) {
    if (value.is_register() || value.is_constant(0) || value.none()) return value;
    const auto key = std::make_pair(value.is_thread(), value.value);
    const auto known = made_.find(key);
    if (known != made_.end()) return Value::reg(known->second);
    Instruction make;
    make.op = MachineOp::kAdd;
    make.a = value.is_constant() ? Value::constant(0) : value;
    make.b = value.is_constant() ? value : Value::constant(0);
    make.destination = code_.registers++;
    make.ptx = user.ptx;
    make.rule = user.rule;
    made_[key] = make.destination;
    const Value result = Value::reg(make.destination);
    (code_.blocks[number_].serial ? hoisted : out()).push_back(std::move(make));
    return result;
  }

  void legalize(Instruction& i) {
    if (i.is_fence) return;
    // A constant is made by 0 + k.
    if (i.op == MachineOp::kAdd && i.a.is_constant() && i.b.is_constant()) {
      i.b = Value::constant(i.a.value + i.b.value);
      i.a = Value::constant(0);
    }
    if (i.op == MachineOp::kSel && i.a.is_constant() && !i.a.is_constant(0) && !i.guarded) {
      const bool near = i.predicate.is_register() && predicates_.count(i.predicate.value) != 0;
      if (near) {  // p ? k : b is 0 + k where p holds, else b
        i.op = MachineOp::kAdd;
        i.c = i.b.none() ? Value::constant(0) : i.b;
        i.b = i.a;
        i.a = Value::constant(0);
        i.guarded = true;
      }
    }
    if (!i.a.is_thread()) i.a = in_register(i.a, i);
    if (!i.b.is_constant()) i.b = in_register(i.b, i);
    i.c = in_register(i.c, i);
    if (!i.predicate.none()) {
      if (i.predicate.is_constant()) i.predicate = Value::constant(i.predicate.value & 1);
      i.predicate = in_register(i.predicate, i);
    }
  }

  ir::Code& code_;
  uint32_t number_;
  std::map<std::pair<bool, uint32_t>, ir::Register> made_;
  std::map<ir::Register, bool> predicates_;
};

}  // namespace

void legalize(ir::Code& code) {
  const auto before = ir::predecessors(code);
  for (uint32_t b = 0; b < code.blocks.size(); ++b) {
    BlockLegalizer legalizer(code, b);
    legalizer.run();
    for (const Instruction& made : legalizer.hoisted) {
      for (uint32_t from : before[b]) code.blocks[from].instructions.push_back(made);
    }
  }
}

}  // namespace warplock::circuit
