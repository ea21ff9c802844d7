#include "circuit/translate.h"

#include <fmt/format.h>

#include "circuit/rules.h"

namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

constexpr uint32_t kMaxCallDepth = 16;
/// Long before this many instructions nothing fits the machine any more.
constexpr uint32_t kMaxInstructions = 4000;
constexpr size_t kMaxOfOneBlock = 20'000;

bool ends_block(Opcode opcode) {
  return opcode == Opcode::kBra || opcode == Opcode::kBrxIdx || opcode == Opcode::kRet ||
         opcode == Opcode::kExit || opcode == Opcode::kCall || opcode == Opcode::kTrap;
}

class Translator {
 public:
  Translator(Emitter& emitter, std::vector<std::string>& rules) : e_(emitter), rules_(rules) {}

  /// The body of a function; a return goes to `return_block`, kNoBlock: ends the kernel.
  void function(Emitter::Frame& frame, uint32_t return_block) {
    const ptx::Function& function = *frame.function;
    const std::vector<uint32_t> block_of = find_blocks(function);
    Emitter::Frame* outer = frame_;
    const uint32_t outer_return = return_block_;
    frame_ = &frame;
    return_block_ = return_block;
    blocks_ = &block_of;
    e_.enter(&frame, e_.carry());
    for (size_t i = 0; i < function.body.size(); ++i) {
      if (block_of[i] != ir::kNoBlock && block_of[i] != e_.current()) {
        e_.go(block_of[i]);
        e_.start(block_of[i]);
      }
      instruction(function.body[i], i);
      blocks_ = &block_of;
    }
    if (block_of.back() != ir::kNoBlock && block_of.back() != e_.current()) {
      e_.go(block_of.back());
      e_.start(block_of.back());
    }
    implicit_return(function);
    return_block_ = outer_return;
    frame_ = outer;
    if (outer != nullptr) e_.enter(outer, e_.carry());
  }

  Emitter::Frame make_frame(const ptx::Function& function) {
    Emitter::Frame frame;
    frame.function = &function;
    for (const ptx::Register& reg : function.registers) {
      frame.low.push_back(e_.new_register());
      frame.high.push_back(ptx::bits(reg.type) == 64 ? e_.new_register() : ir::kNoRegister);
    }
    frame.constants.resize(function.registers.size());
    frame.definitions.assign(function.registers.size(), 0);
    for (const Instruction& i : function.body) {
      for (const Operand& operand : i.destinations) count(operand, frame.definitions);
    }
    for (const ptx::Parameter& parameter : function.parameters) {
      if (parameter.reg != ptx::kNoIndex) ++frame.definitions[parameter.reg];
    }
    return frame;
  }

 private:
  static void count(const Operand& operand, std::vector<uint32_t>& definitions) {
    if (operand.kind == Operand::Kind::kRegister) ++definitions[operand.index];
    for (const Operand& element : operand.elements) count(element, definitions);
  }

  /// For every place in the body, and its end: the block that begins there, if one does.
  std::vector<uint32_t> find_blocks(const ptx::Function& function) {
    std::vector<bool> begins(function.body.size() + 1, false);
    for (const ptx::Label& label : function.labels) begins[label.target] = true;
    for (size_t i = 0; i < function.body.size(); ++i) {
      if (ends_block(function.body[i].opcode)) begins[i + 1] = true;
    }
    std::vector<uint32_t> blocks(begins.size(), ir::kNoBlock);
    for (size_t i = 0; i < begins.size(); ++i) {
      if (begins[i]) blocks[i] = e_.new_block();
    }
    return blocks;
  }

  Value guard_of(const Instruction& i) {
    if (!i.guard.present()) return {};
    const Value p = Value::reg(frame_->low[i.guard.reg]);
    return i.guard.negated ? e_.flip(p) : p;
  }

  void instruction(const Instruction& i, size_t index) {
    if (++instructions_ > kMaxInstructions || e_.block().instructions.size() > kMaxOfOneBlock)
      throw Unfit("needs far more blocks than the machine has");
    e_.begin(i, copies_++, {});
    e_.set_rule(0xffff);
    if (ends_block(i.opcode)) {
      control(i, index);
      e_.start((*blocks_)[index + 1]);
      return;
    }
    const Value guard = guard_of(i);
    const uint16_t number = rule_for(i);
    const Rule& rule = all_rules()[number];
    note(i, std::string(rule.name));
    e_.set_rule(number);
    if (guard.none() || !rule.branches) {
      e_.begin(i, copies_ - 1, guard);
      rule.emit(e_);
      e_.commit();
      return;
    }
    const uint32_t body = e_.new_block(), join = e_.new_block();
    e_.branch(guard, body, join);
    e_.start(body);
    rule.emit(e_);
    e_.commit();
    e_.go(join);
    e_.start(join);
  }

  void note(const Instruction& i, std::string rule) {
    if (rules_.size() <= i.id) rules_.resize(i.id + 1);
    rules_[i.id] = std::move(rule);
  }

  void control(const Instruction& i, size_t index) {
    note(i, std::string(ptx::spelling(i.opcode)));
    const uint32_t next = (*blocks_)[index + 1];
    const Value guard = guard_of(i);
    if (i.opcode == Opcode::kBrxIdx || i.opcode == Opcode::kCall || i.opcode == Opcode::kTrap) {
      if (!guard.none()) {
        const uint32_t body = e_.new_block();
        e_.branch(guard, body, next);
        if (i.opcode == Opcode::kBrxIdx) {
          e_.make_edge_event(e_.block().not_taken_events, trace::EventKind::kBranch, 0);
        }
        e_.start(body);
      }
      if (i.opcode == Opcode::kBrxIdx) {
        table(i);
      } else if (i.opcode == Opcode::kCall) {
        call(i, next);
      } else {
        e_.refuse("traps");
      }
      return;
    }
    ir::Block& block = e_.block();
    if (i.opcode == Opcode::kBra) {
      const uint32_t target = i.sources[0].index;
      e_.make_edge_event(block.taken_events, trace::EventKind::kBranch, branch_value(target));
      go_or_branch(guard, (*blocks_)[target], next);
      if (!guard.none()) {
        e_.make_edge_event(block.not_taken_events, trace::EventKind::kBranch, 0);
      }
      return;
    }
    const bool leaves = i.opcode == Opcode::kExit || return_block_ == ir::kNoBlock;
    if (leaves) e_.make_edge_event(block.taken_events, trace::EventKind::kExit, 0);
    go_or_branch(guard, leaves ? ir::kNoBlock : return_block_, next);
  }

  void go_or_branch(Value guard, uint32_t target, uint32_t next) {
    if (guard.none()) {
      e_.go(target);
      return;
    }
    e_.block().predicate = guard;
    e_.block().taken = target;
    e_.block().not_taken = next;
    e_.block().ptx = e_.ptx().id;
  }

  uint64_t branch_value(uint32_t target) const {
    const std::vector<Instruction>& body = frame_->function->body;
    return target < body.size() ? uint64_t{body[target].id} + 1 : uint64_t{body.back().id} + 2;
  }

  void implicit_return(const ptx::Function& function) {
    if (return_block_ != ir::kNoBlock) {
      e_.go(return_block_);
      return;
    }
    e_.exit();
    if (function.body.empty()) return;
    e_.begin(function.body.back(), copies_++, {});
    e_.make_edge_event(e_.block().taken_events, trace::EventKind::kExit, 0);
  }

  /// One comparison for each entry but the last.
  void table(const Instruction& i) {
    const Value index = e_.in(0, ptx::Type::kU32);
    const std::vector<uint32_t>& targets =
        frame_->function->branch_tables[i.sources[1].index].targets;
    for (size_t entry = 0; entry < targets.size(); ++entry) {
      const uint32_t target = (*blocks_)[targets[entry]];
      ir::Block& block = e_.block();
      e_.make_edge_event(block.taken_events, trace::EventKind::kBranch,
                         branch_value(targets[entry]));
      if (entry + 1 == targets.size()) {
        e_.go(target);
        return;
      }
      const Value here = e_.eq(index, Emitter::constant(static_cast<uint32_t>(entry)));
      const uint32_t rest = e_.new_block();
      e_.branch(here, target, rest);
      e_.start(rest);
    }
  }

  void call(const Instruction& i, uint32_t next) {
    const Operand& name = i.sources[0];
    if (name.kind != Operand::Kind::kFunction) e_.refuse("indirect calls");
    const ptx::Function* callee = &e_.context().module.functions[name.index];
    if (callee->is_declaration) {
      for (const ptx::Function& other : e_.context().module.functions) {
        if (other.name == callee->name && !other.is_declaration) callee = &other;
      }
    }
    if (++depth_ > kMaxCallDepth) e_.refuse("recursion");
    Emitter::Frame frame = make_frame(*callee);
    Emitter::Frame& caller = *frame_;
    for (size_t p = 0; p < callee->parameters.size(); ++p) {
      pass(i.sources[1 + p], caller, callee->parameters[p], frame);
    }
    const uint32_t body = e_.new_block(), back = e_.new_block();
    e_.go(body);
    e_.start(body);
    const std::vector<uint32_t>* blocks = blocks_;
    function(frame, back);
    blocks_ = blocks;
    e_.begin(i, copies_++, {});
    e_.start(back);
    for (size_t r = 0; r < callee->returns.size(); ++r) {
      take(i.destinations[r], caller, callee->returns[r], frame, static_cast<uint8_t>(r));
    }
    e_.go(next);
    --depth_;
  }

  std::vector<ir::Register>& words(Emitter::Frame& frame, uint32_t variable) {
    e_.enter(&frame, e_.carry());
    return e_.parameter_words(variable);
  }
  /// The registers that hold a formal parameter.
  std::vector<ir::Register> formal(const ptx::Parameter& parameter, Emitter::Frame& frame) {
    if (parameter.variable != ptx::kNoIndex) return words(frame, parameter.variable);
    std::vector<ir::Register> registers{frame.low[parameter.reg]};
    if (frame.high[parameter.reg] != ir::kNoRegister)
      registers.push_back(frame.high[parameter.reg]);
    return registers;
  }
  /// The values of an actual one.
  std::vector<Value> actual(const Operand& operand, Emitter::Frame& frame) {
    std::vector<Value> values;
    if (operand.kind == Operand::Kind::kVariable) {
      for (ir::Register reg : words(frame, operand.index)) values.push_back(Value::reg(reg));
      return values;
    }
    e_.enter(&frame, e_.carry());
    const Wide wide = e_.wide(operand);
    return {wide.low, wide.high};
  }

  void pass(const Operand& operand, Emitter::Frame& caller, const ptx::Parameter& parameter,
            Emitter::Frame& callee) {
    const std::vector<Value> values = actual(operand, caller);
    const std::vector<ir::Register> registers = formal(parameter, callee);
    for (size_t k = 0; k < registers.size() && k < values.size(); ++k) {
      e_.set(Value::reg(registers[k]), values[k]);
    }
    e_.enter(&caller, e_.carry());
  }

  void take(const Operand& operand, Emitter::Frame& caller, const ptx::Parameter& result,
            Emitter::Frame& callee, uint8_t element) {
    const std::vector<ir::Register> from = formal(result, callee);
    e_.enter(&caller, e_.carry());
    if (operand.kind == Operand::Kind::kSink) return;
    if (operand.kind == Operand::Kind::kVariable) {
      const std::vector<ir::Register> to = words(caller, operand.index);
      for (size_t k = 0; k < to.size() && k < from.size(); ++k) {
        e_.set(Value::reg(to[k]), Value::reg(from[k]));
      }
      return;
    }
    const Value high = from.size() > 1 ? Value::reg(from[1]) : Emitter::constant(0);
    e_.out(operand, Wide{Value::reg(from[0]), high}, element);
    e_.commit();
  }

  Emitter& e_;
  std::vector<std::string>& rules_;
  Emitter::Frame* frame_ = nullptr;
  uint32_t return_block_ = ir::kNoBlock;
  const std::vector<uint32_t>* blocks_ = nullptr;
  uint32_t copies_ = 0;
  uint32_t instructions_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

void translate(Emitter& emitter, const ptx::Function& entry, std::vector<std::string>& rules) {
  Translator translator(emitter, rules);
  Emitter::Frame frame = translator.make_frame(entry);
  translator.function(frame, ir::kNoBlock);
}

}  // namespace warplock::circuit
