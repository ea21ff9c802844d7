#include "circuit/rules.h"

/// Barriers and fences (PTX ISA 9.7.13.1 to 9.7.13.5). The machine has one barrier, for all threads
/// of the CTA.
namespace warplock::circuit {

namespace {

using ir::Source;
using ptx::BarrierOp;
using ptx::Instruction;
using ptx::Opcode;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool is_arrive(const Instruction& i) {
  return i.modifiers.barrier == BarrierOp::kArrive;
}
bool is_sync(const Instruction& i) {
  return i.modifiers.barrier == BarrierOp::kSync;
}

void check_threads(Emitter& e, size_t count_source) {
  const Value count = e.in(count_source, ptx::Type::kU32);
  const uint32_t threads = (e.context().launch.threads_per_cta() + 3) / 4 * 4;
  if (!count.is_constant() || count.value < threads) {
    e.refuse("barriers for a part of the CTA's threads");
  }
}

uint64_t barrier_number(Emitter& e) {
  const Value number = e.in(0, ptx::Type::kU32);
  if (!number.is_constant()) e.refuse("barriers whose number is computed");
  return number.value;
}

void wait(Emitter& e, bool with_events) {
  const uint64_t number = barrier_number(e);
  ir::EdgeEvents& events = e.block().taken_events;
  if (with_events) {
    e.make_edge_event(events, trace::EventKind::kBarrierArrive, number);
    e.make_edge_event(events, trace::EventKind::kBarrierRelease, number);
  }
  e.barrier();
}

void synchronize(Emitter& e) {
  if (e.sources() > 1) check_threads(e, 1);
  wait(e, true);
}

/// Every thread adds its predicate to a word and takes it off again between the second barrier and
/// its next addition, so that the word is always the sum of what is added and not yet taken off.
void reduce(Emitter& e) {
  const size_t last = e.sources() - 1;
  if (last == 2) check_threads(e, 1);
  const Value p = e.predicate(last);
  const uint32_t word = e.context().layout.take(4);
  const auto add = [&](Value amount) {
    const Value addend = e.in_register(amount);
    e.begin_serial();
    e.store_if({}, k(0), word, e.add(e.load_word(k(0), word), addend));
    e.end_serial();
  };
  add(p);
  wait(e, true);
  const Value count = e.load_word(k(0), word);
  const Value result = e.in_register(count);
  wait(e, false);
  add(e.negate(p));
  switch (e.modifiers().barrier) {
    case BarrierOp::kRedPopc:
      e.out(0, result);
      return;
    case BarrierOp::kRedAnd:
      e.out(0, e.eq(result, k(e.context().launch.threads_per_cta())));
      return;
    default:
      e.out(0, e.flip(e.eq(result, k(0))));
      return;
  }
}

void fence(Emitter& e) {
  e.fence();
}

constexpr Rule kRules[] = {
    {"bar.arrive", Opcode::kBar, is_arrive,
     [](Emitter& e) { e.refuse("barriers at which a thread arrives without waiting"); }},
    {"bar.sync", Opcode::kBar, is_sync, synchronize, true},
    {"bar.red", Opcode::kBar, nullptr, reduce, true},
    {"bar.warp.sync", Opcode::kBarWarpSync, nullptr, fence},
    {"membar", Opcode::kMembar, nullptr, fence},
    {"fence", Opcode::kFence, nullptr, fence},
    {"nop", Opcode::kNop, nullptr, [](Emitter&) {}},
};

}  // namespace

std::span<const Rule> synchronize_rules() {
  return kRules;
}

}  // namespace warplock::circuit
