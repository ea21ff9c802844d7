#include "circuit/fold.h"

#include <algorithm>
#include <bit>

namespace warplock::circuit::ir {

namespace {

bool is_commutative(MachineOp op) {
  switch (op) {
    case MachineOp::kAdd:
    case MachineOp::kMul:
    case MachineOp::kMad:
    case MachineOp::kAnd:
    case MachineOp::kOr:
    case MachineOp::kXor:
    case MachineOp::kEq:
    case MachineOp::kMinU:
    case MachineOp::kMaxU:
    case MachineOp::kMinS:
    case MachineOp::kMaxS:
      return true;
    default:
      return false;
  }
}

/// Only lanes' own words count, and there is no side effect.
bool is_pure(MachineOp op) {
  return op <= MachineOp::kMaxS;
}

bool is_comparison(MachineOp op) {
  return op == MachineOp::kLtU || op == MachineOp::kLtS || op == MachineOp::kEq;
}

/// One instruction under rewriting.
struct Simplifier {
  Instruction& i;
  const Definition& definition;
  bool& changed;

  const Instruction* def(const Value& value) const {
    return value.is_register() ? definition(value.value) : nullptr;
  }
  /// True when the value is the same wherever it is read.
  bool stable(const Value& value) const {
    return !value.is_register() || definition(value.value) != nullptr;
  }
  bool boolean(const Value& value) const { return is_boolean(value, definition); }

  /// `value` when it is the negation of a boolean: that boolean.
  std::optional<Value> negated(const Value& value) const {
    const Instruction* d = def(value);
    if (d == nullptr || d->guarded || !stable(d->a)) return {};
    if (d->op == MachineOp::kXor && d->b.is_constant(1) && boolean(d->a)) return d->a;
    if (d->op == MachineOp::kEq && d->b.is_constant(0) && boolean(d->a)) return d->a;
    return {};
  }

  void set(MachineOp op, Value a, Value b, Value c = {}) {
    i.op = op;
    i.a = a;
    i.b = b;
    i.c = c;
    changed = true;
  }

  void canonical_order() {
    if (!is_commutative(i.op)) return;
    const bool swap = (i.a.is_constant() && !i.b.is_constant()) ||
                      (i.b.is_thread() && !i.a.is_thread() && !i.a.is_constant());
    if (swap) std::swap(i.a, i.b);
  }

  void predicate() {
    if (i.predicate.none() || i.predicate.is_constant()) return;
    if (i.op != MachineOp::kSel && !i.guarded) return;  // votes have no negated form
    while (auto inner = negated(i.predicate)) {
      i.predicate = *inner;
      i.predicate_negated = !i.predicate_negated;
      changed = true;
    }
  }

  std::optional<Value> fold() {
    if (!is_pure(i.op) || i.guarded) return {};
    const auto known = [](const Value& v) { return v.none() || v.is_constant(); };
    if (known(i.a) && known(i.b) && known(i.c) && known(i.predicate)) {
      const bool p =
          i.predicate.is_constant() && ((i.predicate.value & 1) != 0) != i.predicate_negated;
      if (auto word = evaluate(i.op, i.a.value, i.b.value, i.c.value, p)) {
        return Value::constant(*word);
      }
    }
    return {};
  }

  /// x op constant.
  std::optional<Value> with_constant() {
    const uint32_t k = i.b.value;
    const Instruction* d = def(i.a);
    if (d != nullptr && (d->guarded || !d->b.is_constant() || !stable(d->a))) d = nullptr;
    switch (i.op) {
      case MachineOp::kSub:
        set(MachineOp::kAdd, i.a, Value::constant(0u - k));
        return with_constant();
      case MachineOp::kAdd:
        if (k == 0) return i.a;
        if (d != nullptr && d->op == MachineOp::kAdd) {
          set(MachineOp::kAdd, d->a, Value::constant(d->b.value + k));
        }
        return {};
      case MachineOp::kMul:
        if (k == 0) return Value::constant(0);
        if (k == 1) return i.a;
        if (std::has_single_bit(k)) {
          set(MachineOp::kShl, i.a, Value::constant(static_cast<uint32_t>(std::countr_zero(k))));
          return with_constant();
        }
        return {};
      case MachineOp::kMad:
        if (k == 0) return i.c;
        if (k == 1) set(MachineOp::kAdd, i.a, i.c);
        return {};
      case MachineOp::kAnd:
        if (k == 0) return Value::constant(0);
        if (k == 0xffffffff || (k == 1 && boolean(i.a))) return i.a;
        if (d != nullptr && d->op == MachineOp::kAnd) {
          set(MachineOp::kAnd, d->a, Value::constant(d->b.value & k));
        }
        return {};
      case MachineOp::kOr:
        if (k == 0) return i.a;
        if (k == 0xffffffff) return Value::constant(k);
        return {};
      case MachineOp::kXor:
        if (k == 0) return i.a;
        if (d != nullptr && d->op == MachineOp::kXor) {
          set(MachineOp::kXor, d->a, Value::constant(d->b.value ^ k));
          if (i.b.is_constant(0)) return i.a;
        }
        if (k == 1 && d != nullptr && d->op == MachineOp::kEq && d->b.is_constant(0) &&
            boolean(d->a)) {
          return d->a;
        }
        return {};
      case MachineOp::kShl:
      case MachineOp::kShrU:
        if (k == 0) return i.a;
        if (k >= 32) return Value::constant(0);
        if (d != nullptr && d->op == i.op && d->b.value < 32) {
          const uint32_t sum = d->b.value + k;
          if (sum >= 32) return Value::constant(0);
          set(i.op, d->a, Value::constant(sum));
        }
        return {};
      case MachineOp::kShrS:
        if (k == 0) return i.a;
        return {};
      case MachineOp::kLtU:
        if (k == 0) return Value::constant(0);
        if (k == 1) {
          if (boolean(i.a)) {
            set(MachineOp::kXor, i.a, Value::constant(1));
            return with_constant();
          }
          set(MachineOp::kEq, i.a, Value::constant(0));
        }
        return {};
      case MachineOp::kEq:
        if (!boolean(i.a)) return {};
        if (k == 1) return i.a;
        if (k > 1) return Value::constant(0);
        set(MachineOp::kXor, i.a, Value::constant(1));
        return with_constant();
      case MachineOp::kMinU:
        if (k == 0) return Value::constant(0);
        if (k == 0xffffffff) return i.a;
        return {};
      case MachineOp::kMaxU:
        if (k == 0) return i.a;
        return {};
      default:
        return {};
    }
  }

  /// Booleans in two registers: forms that give a predicate in one comparison.
  void booleans() {
    if (i.op != MachineOp::kAnd && i.op != MachineOp::kOr) return;
    if (i.a.is_constant() || i.b.is_constant()) return;
    if (!boolean(i.a) || !boolean(i.b)) return;
    if (i.op == MachineOp::kAnd) {  // x and not y: y < x
      if (auto y = negated(i.b)) {
        set(MachineOp::kLtU, *y, i.a);
      } else if (auto x = negated(i.a)) {
        set(MachineOp::kLtU, *x, i.b);
      }
    }
  }

  std::optional<Value> selection() {
    if (i.predicate.is_constant()) {
      return ((i.predicate.value & 1) != 0) != i.predicate_negated ? i.a : i.b;
    }
    if (i.a == i.b) return i.a;
    if (i.predicate_negated) {
      std::swap(i.a, i.b);
      i.predicate_negated = false;
      changed = true;
    }
    if (i.b.is_constant(0) && i.a.is_constant() && boolean(i.predicate)) {
      const Value p = i.predicate;
      i.predicate = {};
      set(MachineOp::kMul, p, i.a);
      return with_constant();
    }
    if (i.a.is_constant(0) && i.b.is_constant(1) && boolean(i.predicate)) {
      const Value p = i.predicate;
      i.predicate = {};
      set(MachineOp::kXor, p, Value::constant(1));
    }
    return {};
  }

  std::optional<Value> same_operands() {
    if (i.a.is_constant() || i.a != i.b) return {};
    switch (i.op) {
      case MachineOp::kSub:
      case MachineOp::kXor:
      case MachineOp::kLtU:
      case MachineOp::kLtS:
        return Value::constant(0);
      case MachineOp::kEq:
        return Value::constant(1);
      case MachineOp::kAnd:
      case MachineOp::kOr:
      case MachineOp::kMinU:
      case MachineOp::kMaxU:
      case MachineOp::kMinS:
      case MachineOp::kMaxS:
        return i.a;
      default:
        return {};
    }
  }

  /// Address a + b of a load or a store: constants into b, else a sum into both.
  void address() {
    if (i.b.none()) i.b = Value::constant(0);
    if (i.a.is_constant() && !i.b.is_constant()) std::swap(i.a, i.b);
    if (i.a.is_constant() && i.a.value != 0) {
      set(i.op, Value::constant(0), Value::constant(i.a.value + i.b.value), i.c);
    }
    const Instruction* d = def(i.a);
    if (d == nullptr || d->guarded || d->op != MachineOp::kAdd || !stable(d->a)) return;
    if (i.b.is_constant() && d->b.is_constant()) {
      set(i.op, d->a, Value::constant(d->b.value + i.b.value), i.c);
      address();
    }
  }

  std::optional<Value> run() {
    canonical_order();
    predicate();
    if (i.guarded && i.predicate.is_constant()) {
      const bool on = ((i.predicate.value & 1) != 0) != i.predicate_negated;
      if (i.op == MachineOp::kSt) return {};
      if (!on) return i.c;
      i.guarded = false;
      i.predicate = {};
      i.c = {};
      changed = true;
    }
    if (i.op == MachineOp::kLd || i.op == MachineOp::kSt) {
      address();
      return {};
    }
    if (i.guarded) return {};
    if (auto value = fold()) return value;
    if (i.op == MachineOp::kSel) return selection();
    if (auto value = same_operands()) return value;
    if (i.op == MachineOp::kMad) {
      if (i.c.is_constant(0)) {
        set(MachineOp::kMul, i.a, i.b);
      } else if (i.a.is_constant() && i.b.is_constant()) {
        set(MachineOp::kAdd, i.c, Value::constant(i.a.value * i.b.value));
      }
    }
    if (i.a.is_constant(0)) {
      if (i.op == MachineOp::kShl || i.op == MachineOp::kShrU || i.op == MachineOp::kShrS) {
        return i.a;
      }
    }
    booleans();
    if (i.b.is_constant() && !i.a.is_constant()) return with_constant();
    return {};
  }
};

}  // namespace

std::optional<uint32_t> evaluate(MachineOp op, uint32_t a, uint32_t b, uint32_t c, bool predicate) {
  const auto sa = static_cast<int32_t>(a);
  const auto sb = static_cast<int32_t>(b);
  switch (op) {
    case MachineOp::kAdd:
      return a + b;
    case MachineOp::kSub:
      return a - b;
    case MachineOp::kMul:
      return a * b;
    case MachineOp::kMad:
      return a * b + c;
    case MachineOp::kAnd:
      return a & b;
    case MachineOp::kOr:
      return a | b;
    case MachineOp::kXor:
      return a ^ b;
    case MachineOp::kSel:
      return predicate ? a : b;
    case MachineOp::kShl:
      return b < 32 ? a << b : 0;
    case MachineOp::kShrU:
      return b < 32 ? a >> b : 0;
    case MachineOp::kShrS:
      return static_cast<uint32_t>(sa >> std::min<uint32_t>(b, 31));
    case MachineOp::kLtU:
      return a < b ? 1 : 0;
    case MachineOp::kLtS:
      return sa < sb ? 1 : 0;
    case MachineOp::kEq:
      return a == b ? 1 : 0;
    case MachineOp::kMinU:
      return std::min(a, b);
    case MachineOp::kMaxU:
      return std::max(a, b);
    case MachineOp::kMinS:
      return sa < sb ? a : b;
    case MachineOp::kMaxS:
      return sa < sb ? b : a;
    default:
      return {};
  }
}

bool is_boolean(const Value& value, const Definition& definition, int depth) {
  if (value.is_constant()) return value.value <= 1;
  if (!value.is_register() || depth == 0) return false;
  const Instruction* d = definition(value.value);
  if (d == nullptr) return false;
  const auto sub = [&](const Value& v) { return is_boolean(v, definition, depth - 1); };
  if (d->guarded && !sub(d->c)) return false;
  if (is_comparison(d->op) || d->op == MachineOp::kVoteAny || d->op == MachineOp::kVoteAll) {
    return true;
  }
  switch (d->op) {
    case MachineOp::kAnd:
      return sub(d->a) || sub(d->b);
    case MachineOp::kOr:
    case MachineOp::kXor:
    case MachineOp::kSel:
      return sub(d->a) && sub(d->b);
    case MachineOp::kAdd:
      return d->b.is_constant(0) && sub(d->a);
    case MachineOp::kShrU:
      return d->b.is_constant(31);
    default:
      return false;
  }
}

uint32_t low_zero_bits(const Value& value, const Definition& definition, int depth) {
  if (value.is_constant()) {
    return value.value == 0 ? 32 : static_cast<uint32_t>(std::countr_zero(value.value));
  }
  if (!value.is_register() || depth == 0) return 0;
  const Instruction* d = definition(value.value);
  if (d == nullptr || d->guarded) return 0;
  const auto sub = [&](const Value& v) { return low_zero_bits(v, definition, depth - 1); };
  switch (d->op) {
    case MachineOp::kAdd:
    case MachineOp::kSub:
    case MachineOp::kOr:
    case MachineOp::kXor:
    case MachineOp::kSel:
      return std::min(sub(d->a), sub(d->b));
    case MachineOp::kAnd:
      return std::max(sub(d->a), sub(d->b));
    case MachineOp::kMul:
      return std::min(32u, sub(d->a) + sub(d->b));
    case MachineOp::kMad:
      return std::min(std::min(32u, sub(d->a) + sub(d->b)), sub(d->c));
    case MachineOp::kShl:
      return d->b.is_constant() ? std::min(32u, sub(d->a) + std::min(32u, d->b.value)) : sub(d->a);
    default:
      return 0;
  }
}

std::optional<Value> simplify(Instruction& instruction, const Definition& definition,
                              bool& changed) {
  if (instruction.is_fence) return {};
  return Simplifier{instruction, definition, changed}.run();
}

}  // namespace warplock::circuit::ir
