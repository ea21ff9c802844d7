#include "circuit/rules.h"

/// Atomics (PTX ISA 9.7.13.13 and 9.7.13.14): load, operation and store in one serial block, which
/// lanes enter one at a time.
namespace warplock::circuit {

namespace {

using ir::Source;
using ptx::AtomicOp;
using ptx::Instruction;
using ptx::Opcode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool is_word(const Instruction& i) {
  return ptx::bits(i.type()) == 32;
}

/// What is stored.
Value applied(Emitter& e, Value old, Value b) {
  switch (e.modifiers().atomic) {
    case AtomicOp::kAdd:
      return e.add(old, b);
    case AtomicOp::kAnd:
      return e.and_(old, b);
    case AtomicOp::kOr:
      return e.or_(old, b);
    case AtomicOp::kXor:
      return e.xor_(old, b);
    case AtomicOp::kMin:
      return e.is_signed() ? e.min_s(old, b) : e.min_u(old, b);
    case AtomicOp::kMax:
      return e.is_signed() ? e.max_s(old, b) : e.max_u(old, b);
    // old + 1 while old < b, else 0.
    case AtomicOp::kInc:
      return e.choose(e.define(MachineOp::kLtU, old, b), MachineOp::kAdd, old, k(1), k(0));
    // old - 1 is b or more, or all ones, exactly where b is to be stored.
    case AtomicOp::kDec:
      return e.min_u(e.sub(old, k(1)), b);
    default:
      return b;
  }
}

void atomic(Emitter& e) {
  const Emitter::Address address = e.address(0);
  const bool swaps = e.modifiers().atomic == AtomicOp::kCas;
  Value b = e.in(1), c = swaps ? e.in(2) : Value{};
  // A serial block has no room to make a constant.
  if (e.modifiers().atomic == AtomicOp::kExch) b = e.in_register(b);
  if (swaps) c = e.in_register(c);
  const Value base = address.base.is_thread() ? e.in_register(address.base) : address.base;
  ir::Event event = e.new_event(trace::EventKind::kAtomic, 4);
  e.begin_serial();
  const Value old = e.load_word(base, address.offset);
  if (swaps) {
    e.store_if(e.define(MachineOp::kEq, old, b), base, address.offset, c);
  } else {
    e.store_if({}, base, address.offset, applied(e, old, b));
  }
  event.address = Source::address();
  event.value = Source::of(swaps ? c : b);
  event.old = Source::of(old);
  e.event(event);
  if (!e.ptx().destinations.empty()) e.out(0, old);
  e.commit();
  e.end_serial();
}

void refuse_width(Emitter& e) {
  e.refuse("atomics of this width");
}

constexpr Rule kRules[] = {
    {"atom", Opcode::kAtom, is_word, atomic, true},
    {"atom.width", Opcode::kAtom, nullptr, refuse_width},
    {"red", Opcode::kRed, is_word, atomic, true},
    {"red.width", Opcode::kRed, nullptr, refuse_width},
};

}  // namespace

std::span<const Rule> atomic_rules() {
  return kRules;
}

}  // namespace warplock::circuit
