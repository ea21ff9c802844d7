#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "circuit/fold.h"
#include "circuit/ir.h"
#include "circuit/layout.h"
#include "executor/launch.h"
#include "ptx/module.h"

namespace warplock::circuit {

/// Why a kernel does not fit, thrown from inside lowering.
class Unfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using ir::Value;

/// A 64-bit value: two words. The half that nobody reads costs nothing.
struct Wide {
  Value low, high;
};

/// Everything about the launch that lowering may use.
struct LoweringContext {
  const ptx::Module& module;
  const executor::Launch& launch;
  const MachineSpec& spec;
  Layout& layout;
};

/// What lowering rules write with. An emitter stands at the end of a block of the code under
/// construction; each operation appends an instruction there, unless its value is known already,
/// and gives the value of the result.
class Emitter {
 public:
  explicit Emitter(LoweringContext context);

  // ---- operations
  Value add(Value a, Value b) { return define(MachineOp::kAdd, a, b); }
  Value sub(Value a, Value b) { return define(MachineOp::kSub, a, b); }
  Value mul(Value a, Value b) { return define(MachineOp::kMul, a, b); }
  Value mad(Value a, Value b, Value c) { return define(MachineOp::kMad, a, b, c); }
  Value and_(Value a, Value b) { return define(MachineOp::kAnd, a, b); }
  Value or_(Value a, Value b) { return define(MachineOp::kOr, a, b); }
  Value xor_(Value a, Value b) { return define(MachineOp::kXor, a, b); }
  Value not_(Value a) { return xor_(a, constant(0xffffffff)); }
  Value shl(Value a, Value b) { return define(MachineOp::kShl, a, b); }
  Value shr_u(Value a, Value b) { return define(MachineOp::kShrU, a, b); }
  Value shr_s(Value a, Value b) { return define(MachineOp::kShrS, a, b); }
  Value lt_u(Value a, Value b);
  Value lt_s(Value a, Value b);
  Value eq(Value a, Value b) { return define(MachineOp::kEq, a, b); }
  Value min_u(Value a, Value b) { return define(MachineOp::kMinU, a, b); }
  Value max_u(Value a, Value b) { return define(MachineOp::kMaxU, a, b); }
  Value min_s(Value a, Value b) { return define(MachineOp::kMinS, a, b); }
  Value max_s(Value a, Value b) { return define(MachineOp::kMaxS, a, b); }
  /// p ? a : b
  Value sel(Value p, Value a, Value b) { return define(MachineOp::kSel, a, b, {}, p); }
  Value negate(Value a) { return sub(constant(0), a); }
  Value flip(Value predicate) { return xor_(predicate, constant(1)); }
  static Value constant(uint32_t word) { return Value::constant(word); }
  /// Any operation: a shuffle, a vote, a load.
  Value define(MachineOp op, Value a, Value b = {}, Value c = {}, Value predicate = {});
  /// p ? op(a, b) : otherwise, as one guarded instruction; not for mul and mad.
  Value choose(Value p, MachineOp op, Value a, Value b, Value otherwise);
  /// The value in a register of its own, even if it is a constant: for blocks that have no room.
  Value in_register(Value value);
  Value zero_extend(Value value, uint32_t bits);
  Value sign_extend(Value value, uint32_t bits);
  Value load_word(Value address, int64_t offset) {
    return define(MachineOp::kLd, address, constant(static_cast<uint32_t>(offset)));
  }
  /// The store gets the guard of the instruction unless that has been made a branch.
  void store_word(Value address, int64_t offset, Value data) {
    store_if(guard_, address, offset, data);
  }
  void store_if(Value predicate, Value address, int64_t offset, Value data);
  /// The instruction emitted last stays, though nobody may read its result.
  void pin() { block().instructions.back().pinned = true; }
  /// A word that only the machine itself writes, between CTAs.
  Value launch_word(uint32_t word);
  /// Low zero bits that are known of a value, for alignment.
  uint32_t low_zero_bits(Value value) const;
  /// Memory accesses are not moved across this point.
  void fence();

  // ---- a register that is written more than once
  Value variable(Value initial);
  void set(Value variable, Value value);

  // ---- control flow
  uint32_t new_block();
  void go(uint32_t block);  ///< ends the current block with a jump
  void branch(Value predicate, uint32_t taken, uint32_t not_taken);
  void exit();
  void start(uint32_t block) { current_ = block; }
  /// Starts a block that lanes enter one at a time; `end_serial` ends it.
  void begin_serial();
  void end_serial();
  /// Ends the current block with a barrier.
  void barrier();
  ir::Block& block() { return code_.blocks[current_]; }
  uint32_t current() const { return current_; }

  // ---- the PTX instruction that is being lowered
  const ptx::Instruction& ptx() const { return *instruction_; }
  const ptx::Modifiers& modifiers() const { return instruction_->modifiers; }
  ptx::Type type() const { return instruction_->type(); }
  bool is_signed() const { return ptx::is_signed(type()); }
  /// Source `k` as a value of `type` of up to 32 bits: zero- or sign-extended to a word.
  Value in(size_t k, ptx::Type type);
  Value in(size_t k) { return in(k, type()); }
  Value in(const ptx::Operand& operand, ptx::Type type);
  Wide wide(size_t k) { return wide(instruction_->sources[k]); }
  Wide wide(const ptx::Operand& operand);
  Value predicate(size_t k) { return in(k, ptx::Type::kPred); }
  size_t sources() const { return instruction_->sources.size(); }
  bool has_destination(size_t k) const {
    return k < instruction_->destinations.size() &&
           instruction_->destinations[k].kind != ptx::Operand::Kind::kSink;
  }
  /// Gives destination `k` its value; cut to the width of its register. Takes effect when the rule
  /// has returned.
  void out(size_t k, Value value);
  void out(size_t k, Wide value);
  void out(const ptx::Operand& operand, Value value, uint8_t element);
  void out(const ptx::Operand& operand, Wide value, uint8_t element);
  /// The base register's low word and the constant of source `k`, an address.
  struct Address {
    Value base;
    int64_t offset = 0;
  };
  Address address(size_t k);
  /// The words that a .param variable of a call is kept in.
  std::vector<ir::Register>& parameter_words(uint32_t variable);
  /// The guard as a predicate; none when there is none or it is a branch already.
  Value guard() const { return guard_; }
  /// The carry flag of extended-precision arithmetic.
  Value carry() const { return carry_; }
  void set_carry(Value carry);
  Value special(ptx::SpecialRegister special);

  /// Hangs a memory event on the instruction emitted last.
  void event(ir::Event event);
  ir::Event new_event(trace::EventKind kind, uint32_t width, uint32_t element = 0) const;

  /// True while all four lanes of every warp must be at this place together: no thread is missing,
  /// and no way has parted yet.
  bool lanes_together() const;

  [[noreturn]] void refuse(const std::string& what) const;
  const LoweringContext& context() const { return context_; }
  LoweringContext& context() { return context_; }

  // ---- for the driver
  /// The registers of one function, or of one inlined call of it.
  struct Frame {
    const ptx::Function* function = nullptr;
    std::vector<ir::Register> low, high;
    /// By register: its value, if its one definition gave it a constant.
    std::vector<Value> constants;
    std::vector<uint32_t> definitions;  ///< by register: how many instructions write it
    std::map<uint32_t, std::vector<ir::Register>> parameters;  ///< words of .param variables
  };
  void enter(Frame* frame, Value carry);
  Frame& frame() { return *frame_; }
  void begin(const ptx::Instruction& instruction, uint32_t copy, Value guard);
  void set_rule(uint16_t rule) { rule_ = rule; }
  void commit();
  ir::Register new_register() { return code_.registers++; }
  ir::Code& code() { return code_; }
  /// Register events that were asked for: static copy, element, PTX id.
  struct Expected {
    uint32_t copy, element, ptx;
  };
  const std::vector<Expected>& expected() const { return expected_; }
  void make_edge_event(ir::EdgeEvents& events, trace::EventKind kind, uint64_t value) const;

 private:
  struct Pending {
    ir::Register low, high;
    Value value, high_value;
    uint8_t element, width;
    uint32_t definitions;
    uint32_t reg;  ///< of the frame
  };
  struct Place {
    uint32_t block, index;
  };
  const ir::Instruction* definition(ir::Register reg) const;
  ir::Instruction& append(ir::Instruction instruction);
  void assign(ir::Register to, Value value, bool guarded, bool reuse);
  Value materialize(const ptx::Operand& operand, bool high);

  LoweringContext context_;
  ir::Code code_;
  uint32_t current_ = 0;
  const ptx::Instruction* instruction_ = nullptr;
  uint32_t copy_ = 0;
  uint16_t rule_ = 0;
  Value guard_, carry_;
  Frame* frame_ = nullptr;
  std::vector<Pending> pending_;
  std::vector<Place> places_;  ///< by register: the only definition of a temporary
  std::vector<Expected> expected_;
};

}  // namespace warplock::circuit
