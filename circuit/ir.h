#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "circuit/isa.h"
#include "trace/event.h"

/// The code between PTX and machine blocks: machine operations on any number of 32-bit virtual
/// registers, in a control-flow graph.
namespace warplock::circuit::ir {

using Register = uint32_t;
constexpr Register kNoRegister = 0xffffffff;
constexpr uint32_t kNoBlock = 0xffffffff;

/// An operand. Any operand of any instruction can be a constant here; packing makes registers of
/// those that the machine wants in one.
struct Value {
  enum class Kind : uint8_t { kNone, kRegister, kConstant, kThread };
  Kind kind = Kind::kNone;
  uint32_t value = 0;  ///< register or constant

  static Value constant(uint32_t word) { return {Kind::kConstant, word}; }
  static Value reg(Register index) { return {Kind::kRegister, index}; }
  static Value thread() { return {Kind::kThread, 0}; }
  bool none() const { return kind == Kind::kNone; }
  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_constant(uint32_t word) const { return is_constant() && value == word; }
  bool is_register() const { return kind == Kind::kRegister; }
  bool is_thread() const { return kind == Kind::kThread; }
  friend bool operator==(const Value&, const Value&) = default;
};

/// Where a number of a trace event comes from: a value as it is when the instruction executes, or
/// the result or the address of the instruction that the event hangs on.
struct Source {
  enum class Kind : uint8_t { kNone, kValue, kResult, kAddress };
  Kind kind = Kind::kNone;
  Value value;
  bool flipped = false;  ///< bit 0 inverted: a predicate that is kept negated

  static Source of(Value value) { return {Kind::kValue, value, false}; }
  static Source result(bool flipped = false) { return {Kind::kResult, {}, flipped}; }
  static Source address() { return {Kind::kAddress, {}, false}; }
};

/// A trace event that an instruction causes when it executes.
struct Event {
  trace::EventKind kind = trace::EventKind::kRegister;
  trace::Space space = trace::Space::kNone;
  uint32_t ptx = 0;    ///< id of the PTX instruction
  uint32_t copy = 0;   ///< which static copy of it (device functions are inlined)
  uint32_t order = 0;  ///< place in program order, among the events of the block
  uint8_t element = 0;
  uint8_t width = 4;
  Source value, high, old, address;
  /// The event happens in lanes where this predicate (negated) holds; none: always.
  Value condition;
  bool condition_negated = false;
};

struct Instruction {
  MachineOp op = MachineOp::kAdd;
  Value a, b, c;
  Value predicate;
  bool predicate_negated = false;
  bool guarded = false;  ///< by the predicate: else keeps `c`, or does not store
  Register destination = kNoRegister;
  uint32_t ptx = 0;
  uint16_t rule = 0;
  bool pinned = false;        ///< stays though nobody reads its result
  bool opaque = false;        ///< its constant is wanted in a register: not propagated
  bool reads_launch = false;  ///< a load of what only the machine writes: equal ones can be merged
  bool is_fence = false;      ///< no operation: memory accesses do not move across
  std::vector<Event> events;

  bool is_copy() const {
    return op == MachineOp::kAdd && !guarded && destination != kNoRegister && b.is_constant(0);
  }
  bool is_memory() const { return op == MachineOp::kLd || op == MachineOp::kSt || is_fence; }
  bool writes() const { return destination != kNoRegister; }
};

/// Events that happen on the way from one block to the next: branches, barriers, exits.
using EdgeEvents = std::vector<Event>;

struct Block {
  std::vector<Instruction> instructions;
  EdgeEvents passing;  ///< events of every lane that goes through the block
  Value predicate;     ///< none: goes to `taken`
  bool predicate_negated = false;
  uint32_t taken = kNoBlock, not_taken = kNoBlock;  ///< kNoBlock: exits
  EdgeEvents taken_events, not_taken_events;
  bool barrier = false;
  bool serial = false;
  uint32_t ptx = 0xffffffff;  ///< of the branch

  bool conditional() const { return !predicate.none(); }
};

struct Code {
  std::vector<Block> blocks;  ///< execution starts at block 0
  uint32_t registers = 0;
};

/// Calls `f(Value&)` for the operands that the instruction reads.
template <class I, class F>
void for_each_use(I& instruction, F f) {
  if (instruction.is_fence) return;
  f(instruction.a);
  f(instruction.b);
  f(instruction.c);
  f(instruction.predicate);
}

/// Calls `f(Source&)` for the numbers of the event.
template <class E, class F>
void for_each_source(E& event, F f) {
  f(event.value);
  f(event.high);
  f(event.old);
  f(event.address);
}

/// The code, a line an instruction, for messages of tests.
std::string to_text(const Code& code);

}  // namespace warplock::circuit::ir
