#include "circuit/emitter.h"

#include <algorithm>

#include <fmt/format.h>

#include "circuit/geometry.h"

namespace warplock::circuit {

using ir::Instruction;
using ir::Source;

Emitter::Emitter(LoweringContext context) : context_(context) {
  code_.blocks.emplace_back();
  carry_ = Value::reg(new_register());
}

// ---- operations
// -----------------------------------------------------------------------------------

const Instruction* Emitter::definition(ir::Register reg) const {
  if (reg >= places_.size() || places_[reg].block == ir::kNoBlock) return nullptr;
  return &code_.blocks[places_[reg].block].instructions[places_[reg].index];
}

Instruction& Emitter::append(Instruction instruction) {
  instruction.ptx = instruction_ != nullptr ? instruction_->id : 0xffffffff;
  instruction.rule = rule_;
  std::vector<Instruction>& instructions = block().instructions;
  instructions.push_back(std::move(instruction));
  const ir::Register to = instructions.back().destination;
  if (to != ir::kNoRegister) {
    if (places_.size() <= to) places_.resize(to + 1, Place{ir::kNoBlock, 0});
    places_[to] = {current_, static_cast<uint32_t>(instructions.size() - 1)};
  }
  return instructions.back();
}

Value Emitter::define(MachineOp op, Value a, Value b, Value c, Value predicate) {
  Instruction instruction;
  instruction.op = op;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  instruction.predicate = predicate;
  bool changed = false;
  const auto find = [this](ir::Register reg) { return definition(reg); };
  if (auto known = ir::simplify(instruction, find, changed)) return *known;
  instruction.destination = new_register();
  const Value result = Value::reg(instruction.destination);
  append(std::move(instruction));
  return result;
}

Value Emitter::lt_u(Value a, Value b) {
  // k < b is not (b < k + 1).
  if (a.is_constant() && !b.is_constant()) {
    if (a.value == 0xffffffff) return constant(0);
    return flip(lt_u(b, constant(a.value + 1)));
  }
  return define(MachineOp::kLtU, a, b);
}

Value Emitter::lt_s(Value a, Value b) {
  if (a.is_constant() && !b.is_constant()) {
    if (a.value == 0x7fffffff) return constant(0);
    return flip(lt_s(b, constant(a.value + 1)));
  }
  return define(MachineOp::kLtS, a, b);
}

Value Emitter::in_register(Value value) {
  if (value.is_register() || value.is_constant(0)) return value;
  Instruction copy;
  copy.op = MachineOp::kAdd;
  copy.a = value.is_constant() ? constant(0) : value;
  copy.b = value.is_constant() ? value : constant(0);
  copy.opaque = true;
  copy.destination = new_register();
  const Value result = Value::reg(copy.destination);
  append(std::move(copy));
  return result;
}

Value Emitter::zero_extend(Value value, uint32_t bits) {
  return bits >= 32 ? value : and_(value, constant((1u << bits) - 1));
}

Value Emitter::sign_extend(Value value, uint32_t bits) {
  if (bits >= 32) return value;
  const Value amount = constant(32 - bits);
  return shr_s(shl(value, amount), amount);
}

Value Emitter::choose(Value p, MachineOp op, Value a, Value b, Value otherwise) {
  Instruction instruction;
  instruction.op = op;
  instruction.a = a;
  instruction.b = b;
  instruction.c = otherwise;
  instruction.predicate = p;
  instruction.guarded = true;
  instruction.destination = new_register();
  const Value result = Value::reg(instruction.destination);
  append(std::move(instruction));
  return result;
}

void Emitter::store_if(Value predicate, Value address, int64_t offset, Value data) {
  Instruction store;
  store.op = MachineOp::kSt;
  store.a = address;
  store.b = constant(static_cast<uint32_t>(offset));
  store.c = data;
  store.predicate = predicate;
  store.guarded = !predicate.none();
  bool changed = false;
  const auto find = [this](ir::Register reg) { return definition(reg); };
  ir::simplify(store, find, changed);
  append(std::move(store));
}

Value Emitter::launch_word(uint32_t word) {
  const Value value = load_word(constant(0), 4 * int64_t{word});
  block().instructions.back().reads_launch = true;
  return value;
}

uint32_t Emitter::low_zero_bits(Value value) const {
  return ir::low_zero_bits(value, [this](ir::Register reg) { return definition(reg); });
}

void Emitter::fence() {
  Instruction fence;
  fence.is_fence = true;
  append(std::move(fence));
}

// ---- variables and control flow
// ------------------------------------------------------------------

Value Emitter::variable(Value initial) {
  const Value variable = Value::reg(new_register());
  set(variable, initial);
  return variable;
}

void Emitter::set(Value variable, Value value) {
  assign(variable.value, value, false, true);
}

/// Writes a register that is written elsewhere too. With `reuse` the temporary `value` becomes the
/// register where that is possible.
void Emitter::assign(ir::Register to, Value value, bool guarded, bool reuse) {
  std::vector<Instruction>& instructions = block().instructions;
  Instruction* last = instructions.empty() ? nullptr : &instructions.back();
  const bool fresh = reuse && value.is_register() && last != nullptr &&
                     last->destination == value.value && definition(value.value) == last &&
                     !last->opaque;
  if (fresh && !guarded) {
    places_[value.value].block = ir::kNoBlock;
    last->destination = to;
    return;
  }
  if (fresh && last->c.none() && last->predicate.none() && last->op != MachineOp::kMul &&
      last->op != MachineOp::kMad) {
    places_[value.value].block = ir::kNoBlock;
    last->destination = to;
    last->c = Value::reg(to);
    last->predicate = guard_;
    last->guarded = true;
    return;
  }
  Instruction copy;
  copy.destination = to;
  if (guarded) {
    copy.op = MachineOp::kSel;
    copy.a = value;
    copy.b = Value::reg(to);
    copy.predicate = guard_;
  } else {
    copy.op = MachineOp::kAdd;
    copy.a = value;
    copy.b = constant(0);
  }
  append(std::move(copy));
  places_[to].block = ir::kNoBlock;
}

uint32_t Emitter::new_block() {
  code_.blocks.emplace_back();
  return static_cast<uint32_t>(code_.blocks.size() - 1);
}

void Emitter::go(uint32_t target) {
  block().taken = target;
}

void Emitter::branch(Value predicate, uint32_t taken, uint32_t not_taken) {
  ir::Block& from = block();
  from.ptx = instruction_ != nullptr ? instruction_->id : 0xffffffff;
  if (predicate.is_constant()) {
    from.taken = (predicate.value & 1) != 0 ? taken : not_taken;
    return;
  }
  from.predicate = predicate;
  from.taken = taken;
  from.not_taken = not_taken;
}

void Emitter::exit() {
  block().taken = ir::kNoBlock;
}

void Emitter::begin_serial() {
  const uint32_t serial = new_block();
  go(serial);
  start(serial);
  block().serial = true;
}

void Emitter::end_serial() {
  const uint32_t next = new_block();
  go(next);
  start(next);
}

void Emitter::barrier() {
  const uint32_t next = new_block();
  block().barrier = true;
  go(next);
  start(next);
}

// ---- the PTX instruction
// -------------------------------------------------------------------------

void Emitter::enter(Frame* frame, Value carry) {
  frame_ = frame;
  carry_ = carry;
}

void Emitter::begin(const ptx::Instruction& instruction, uint32_t copy, Value guard) {
  instruction_ = &instruction;
  copy_ = copy;
  guard_ = guard;
  pending_.clear();
}

Value Emitter::materialize(const ptx::Operand& operand, bool high) {
  switch (operand.kind) {
    case ptx::Operand::Kind::kRegister: {
      const Value known = frame_->constants[operand.index];
      if (!high && !known.none()) return operand.negated ? flip(known) : known;
      const Value value =
          Value::reg(high ? frame_->high[operand.index] : frame_->low[operand.index]);
      return operand.negated ? flip(value) : value;
    }
    case ptx::Operand::Kind::kImmediate:
      return constant(static_cast<uint32_t>(high ? operand.value >> 32 : operand.value));
    case ptx::Operand::Kind::kSpecial:
      if (high) return constant(0);
      return special(operand.special);
    case ptx::Operand::Kind::kVariable: {
      if (high) return constant(0);
      const uint32_t local = context_.layout.local_offset[operand.index];
      const auto offset = static_cast<uint32_t>(operand.offset);
      if (local != ptx::kNoIndex) {
        const Value own = mul(Value::thread(), constant(context_.layout.local_bytes));
        return add(own, constant(context_.layout.local_base + local + offset));
      }
      const Layout::Object* object = context_.layout.of_variable(operand.index);
      if (object == nullptr) {
        refuse(fmt::format("the address of {}", context_.module.variables[operand.index].name));
      }
      return constant(object->base + offset);
    }
    default:
      refuse("an operand of this kind");
  }
}

Value Emitter::in(const ptx::Operand& operand, ptx::Type type) {
  Value value = materialize(operand, false);
  const uint32_t wanted = ptx::bits(type);
  if (type == ptx::Type::kPred || wanted >= 32) return value;
  if (ptx::is_signed(type)) return sign_extend(value, wanted);
  // Registers narrower than a word are kept zero-extended.
  if (operand.kind == ptx::Operand::Kind::kRegister &&
      ptx::bits(frame_->function->registers[operand.index].type) <= wanted) {
    return value;
  }
  return zero_extend(value, wanted);
}

Value Emitter::in(size_t k, ptx::Type type) {
  return in(instruction_->sources.at(k), type);
}

Wide Emitter::wide(const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::kRegister &&
      ptx::bits(frame_->function->registers[operand.index].type) < 64) {
    return {materialize(operand, false), constant(0)};
  }
  return {materialize(operand, false), materialize(operand, true)};
}

Emitter::Address Emitter::address(size_t k) {
  const ptx::Operand& operand = instruction_->sources.at(k);
  if (operand.kind != ptx::Operand::Kind::kAddress) refuse("an address of this kind");
  switch (operand.base) {
    case ptx::Operand::Base::kNone:
      return {constant(0), operand.offset};
    case ptx::Operand::Base::kRegister:
      return {Value::reg(frame_->low[operand.index]), operand.offset};
    case ptx::Operand::Base::kVariable: {
      ptx::Operand variable;
      variable.kind = ptx::Operand::Kind::kVariable;
      variable.index = operand.index;
      return {materialize(variable, false), operand.offset};
    }
    case ptx::Operand::Base::kParameter:
      break;
  }
  refuse("an address in parameter space");
}

std::vector<ir::Register>& Emitter::parameter_words(uint32_t variable) {
  std::vector<ir::Register>& words = frame_->parameters[variable];
  if (words.empty()) {
    const uint64_t bytes = context_.module.variables[variable].size;
    for (uint64_t i = 0; i < (bytes + 3) / 4; ++i) words.push_back(new_register());
  }
  return words;
}

void Emitter::out(const ptx::Operand& operand, Wide value, uint8_t element) {
  if (operand.kind == ptx::Operand::Kind::kSink) return;
  if (operand.kind != ptx::Operand::Kind::kRegister) refuse("a destination of this kind");
  const ptx::Type type = frame_->function->registers[operand.index].type;
  const uint32_t bits = ptx::bits(type);
  if (bits > 64) refuse("128-bit registers");
  Pending pending;
  pending.low = frame_->low[operand.index];
  pending.high = frame_->high[operand.index];
  pending.value = bits < 32 && type != ptx::Type::kPred ? zero_extend(value.low, bits) : value.low;
  pending.high_value = bits == 64 ? value.high : Value{};
  pending.element = element;
  pending.width = static_cast<uint8_t>(ptx::bytes(type));
  pending.definitions = frame_->definitions[operand.index];
  pending.reg = operand.index;
  pending_.push_back(pending);
}

void Emitter::out(const ptx::Operand& operand, Value value, uint8_t element) {
  out(operand, Wide{value, constant(0)}, element);
}
void Emitter::out(size_t k, Value value) {
  out(k, Wide{value, constant(0)});
}
void Emitter::out(size_t k, Wide value) {
  out(instruction_->destinations.at(k), value, static_cast<uint8_t>(k));
}

void Emitter::set_carry(Value carry) {
  Pending pending;
  pending.low = carry_.value;
  pending.high = ir::kNoRegister;
  pending.value = carry;
  pending.element = 0;
  pending.width = 0;
  pending.definitions = 2;
  pending.reg = ptx::kNoIndex;
  pending_.push_back(pending);
}

void Emitter::commit() {
  // All values are taken before any destination changes.
  const auto is_target = [this](const Value& value) {
    if (!value.is_register()) return false;
    for (const Pending& pending : pending_) {
      if (value.value == pending.low || value.value == pending.high) return true;
    }
    return false;
  };
  if (pending_.size() > 1 || (pending_.size() == 1 && !pending_[0].high_value.none())) {
    for (Pending& pending : pending_) {
      for (Value* value : {&pending.value, &pending.high_value}) {
        if (!is_target(*value)) continue;
        const Value temporary = Value::reg(new_register());
        assign(temporary.value, *value, false, false);
        *value = temporary;
      }
    }
  }
  for (const Pending& pending : pending_) {
    const bool guarded = !guard_.none() && pending.definitions > 1;
    uint32_t uses = 0;
    for (const Pending& other : pending_) {
      uses += (other.value == pending.value) + (other.high_value == pending.value);
    }
    if (!pending.high_value.none()) assign(pending.high, pending.high_value, guarded, false);
    assign(pending.low, pending.value, guarded, uses == 1);
    if (pending.width == 0) continue;
    if (guard_.none() && pending.definitions == 1 && pending.value.is_constant()) {
      frame_->constants[pending.reg] = pending.value;
    }
    Instruction& last = block().instructions.back();
    ir::Event event = new_event(trace::EventKind::kRegister, pending.width, pending.element);
    event.value = Source::result();
    if (!pending.high_value.none()) event.high = Source::of(Value::reg(pending.high));
    last.events.push_back(event);
    expected_.push_back({copy_, pending.element, instruction_->id});
  }
  pending_.clear();
}

ir::Event Emitter::new_event(trace::EventKind kind, uint32_t width, uint32_t element) const {
  ir::Event event;
  event.kind = kind;
  event.ptx = instruction_->id;
  event.copy = copy_;
  event.order = copy_;
  event.element = static_cast<uint8_t>(element);
  event.width = static_cast<uint8_t>(width);
  event.condition = guard_;
  return event;
}

void Emitter::event(ir::Event event) {
  block().instructions.back().events.push_back(event);
}

void Emitter::make_edge_event(ir::EdgeEvents& events, trace::EventKind kind, uint64_t value) const {
  ir::Event event;
  event.kind = kind;
  event.ptx = instruction_->id;
  event.copy = copy_;
  event.order = copy_;
  event.width = 4;
  event.value = Source::of(constant(static_cast<uint32_t>(value)));
  events.push_back(event);
}

bool Emitter::lanes_together() const {
  if (context_.launch.threads_per_cta() % context_.spec.lanes != 0) return false;
  return std::none_of(code_.blocks.begin(), code_.blocks.end(),
                      [](const ir::Block& b) { return b.conditional() || b.serial; });
}

Value Emitter::special(ptx::SpecialRegister special) {
  return special_value(*this, special);
}

void Emitter::refuse(const std::string& what) const {
  if (instruction_ == nullptr) throw Unfit(what);
  throw Unfit(fmt::format("line {}: {}: the machine does not have {}", instruction_->position.line,
                          ptx::spelling(instruction_->opcode), what));
}

}  // namespace warplock::circuit
