#include <algorithm>

#include "reference_interp/ops/access.h"
#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Atomics (PTX ISA 9.7.13.13 and 9.7.13.14): each lane for itself, in ascending order of lanes
/// (from a drawn lane on when the schedule is permuted).
namespace warplock::reference_interp {
namespace {

struct AtomicAdd {
  template <class T>
  static T apply(T old, T b, T) {
    return static_cast<T>(wrapping(old) + wrapping(b));
  }
};
struct AtomicAnd {
  template <class T>
  static T apply(T old, T b, T) {
    return static_cast<T>(old & b);
  }
};
struct AtomicOr {
  template <class T>
  static T apply(T old, T b, T) {
    return static_cast<T>(old | b);
  }
};
struct AtomicXor {
  template <class T>
  static T apply(T old, T b, T) {
    return static_cast<T>(old ^ b);
  }
};
struct AtomicExch {
  template <class T>
  static T apply(T, T b, T) {
    return b;
  }
};
/// b is compared with, c is stored.
struct AtomicCas {
  template <class T>
  static T apply(T old, T b, T c) {
    return old == b ? c : old;
  }
};
struct AtomicMin {
  template <class T>
  static T apply(T old, T b, T) {
    return std::min(old, b);
  }
};
struct AtomicMax {
  template <class T>
  static T apply(T old, T b, T) {
    return std::max(old, b);
  }
};
/// Counts up to b and starts again at 0; down to 0 and starts again at b.
struct AtomicInc {
  template <class T>
  static T apply(T old, T b, T) {
    return old >= b ? T{0} : static_cast<T>(old + 1);
  }
};
struct AtomicDec {
  template <class T>
  static T apply(T old, T b, T) {
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
};

template <int W, class Op, class T>
void atomic(Step<W>& s) {
  RaceDetector& races = s.machine.races();
  races.tick();
  s.warp.communicated = true;
  const bool compares = s.in->sources > 2;
  const auto one_lane = [&](int lane) {
    const Place place = locate(s, lane, address_of(s, lane), sizeof(T), Use::kAtomic);
    check_load<T>(s, lane, place, Use::kAtomic);
    if (place.shadow != nullptr && s.in->destinations != 0) {
      races.acquire(*place.shadow, place.offset, s.thread(lane), s.cta.clock);
    }
    const T b = static_cast<T>(s.template source<T>(1)[lane]);
    const T c = compares ? static_cast<T>(s.template source<T>(2)[lane]) : T{0};
    T old;
    std::memcpy(&old, place.bytes, sizeof(T));
    const T stored = Op::apply(old, b, c);
    check_store<T>(s, lane, place, Use::kAtomic);
    std::memcpy(place.bytes, &stored, sizeof(T));
    if (s.in->destinations != 0) s.template destination<T>(0)[lane] = to_stored<T>(old);
    // cas applies its new value; what it compared with is a register of the trace.
    record_access(s, lane, trace::EventKind::kAtomic, place, sizeof(T), 0,
                  to_stored<T>(compares ? c : b), to_stored<T>(old));
  };
  const LaneMask first =
      s.machine.permutes() ? kAllLanes<W> << s.machine.random().below(W) : ~LaneMask{0};
  for_each_lane(s.exec & first, one_lane);
  for_each_lane(s.exec & ~first, one_lane);
}

template <int W, class Op>
Handler<W> of_type(ptx::Type type) {
  return for_integer<W>(
      type, [](auto t) -> Handler<W> { return &atomic<W, Op, typename decltype(t)::type>; });
}

}  // namespace

template <int W>
Handler<W> atomic_handler(const ptx::Instruction& in) {
  using ptx::AtomicOp;
  if (in.opcode != ptx::Opcode::kAtom && in.opcode != ptx::Opcode::kRed) return nullptr;
  switch (in.modifiers.atomic) {
    case AtomicOp::kAdd:
      return of_type<W, AtomicAdd>(in.type());
    case AtomicOp::kAnd:
      return of_type<W, AtomicAnd>(in.type());
    case AtomicOp::kOr:
      return of_type<W, AtomicOr>(in.type());
    case AtomicOp::kXor:
      return of_type<W, AtomicXor>(in.type());
    case AtomicOp::kExch:
      return of_type<W, AtomicExch>(in.type());
    case AtomicOp::kCas:
      return of_type<W, AtomicCas>(in.type());
    case AtomicOp::kMin:
      return of_type<W, AtomicMin>(in.type());
    case AtomicOp::kMax:
      return of_type<W, AtomicMax>(in.type());
    case AtomicOp::kInc:
      return of_type<W, AtomicInc>(in.type());
    case AtomicOp::kDec:
      return of_type<W, AtomicDec>(in.type());
    case AtomicOp::kNone:
      break;
  }
  return nullptr;
}

template Handler<4> atomic_handler<4>(const ptx::Instruction&);
template Handler<32> atomic_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
