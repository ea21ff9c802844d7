#include "reference_interp/address_map.h"
#include "reference_interp/ops/access.h"
#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Moves, and addresses in and out of generic space (PTX ISA 9.7.9).
namespace warplock::reference_interp {
namespace {

/// A plain copy, "uninitialised" included: compilers copy values that nobody will use.
template <int W, class T>
void mov(Step<W>& s) {
  const Stored<T>* a = s.template source<T>(0);
  s.template result<T>([&](int lane) { return static_cast<T>(a[lane]); });
  s.set_initialised(0, s.exec, s.initialised[s.in->s[0].slot]);
}

template <int W>
void mov_predicate(Step<W>& s) {
  s.result_predicate(0, s.predicate(0));
  s.set_initialised(0, s.exec, s.initialised[s.in->s[0].slot]);
}

/// mov d, {a, b, ...}: the first element goes to the lowest bits.
template <int W, class Whole, class Piece>
void pack(Step<W>& s) {
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  const Stored<Piece>* rows[kPieces];
  LaneMask known = ~LaneMask{0};
  for (int k = 0; k < kPieces; ++k) {
    rows[k] = s.template source<Piece>(k);
    known &= s.initialised[s.in->s[k].slot];
  }
  s.template result<Whole>([&](int lane) {
    Whole value = 0;
    for (int k = kPieces - 1; k >= 0; --k) {
      value = static_cast<Whole>(value << (8 * sizeof(Piece)) | static_cast<Piece>(rows[k][lane]));
    }
    return value;
  });
  s.set_initialised(0, s.exec, known);
}

/// mov {d, e, ...}, a.
template <int W, class Whole, class Piece>
void unpack(Step<W>& s) {
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  const LaneMask known = s.initialised[s.in->s[0].slot];
  Whole values[W];
  for (int lane = 0; lane < W; ++lane) {
    values[lane] = static_cast<Whole>(s.template source<Whole>(0)[lane]);
  }
  for (int k = 0; k < kPieces; ++k) {
    write_row<W>(s.template destination<Piece>(k), s.exec, [&](int lane) {
      return to_stored<Piece>(static_cast<Piece>(values[lane] >> (8 * sizeof(Piece) * k)));
    });
    s.set_initialised(k, s.exec, known);
  }
}

template <int W, class Whole>
Handler<W> vector_move(size_t pieces, bool packs) {
  if (pieces * sizeof(uint32_t) == sizeof(Whole)) {
    if constexpr (sizeof(Whole) == 8) {
      return packs ? &pack<W, Whole, uint32_t> : &unpack<W, Whole, uint32_t>;
    }
  }
  if (pieces * sizeof(uint16_t) == sizeof(Whole)) {
    if constexpr (sizeof(Whole) >= 4) {
      return packs ? &pack<W, Whole, uint16_t> : &unpack<W, Whole, uint16_t>;
    }
  }
  if (pieces * sizeof(uint8_t) == sizeof(Whole) && pieces <= 4) {
    return packs ? &pack<W, Whole, uint8_t> : &unpack<W, Whole, uint8_t>;
  }
  return nullptr;
}

template <int W>
Handler<W> move(const ptx::Instruction& in) {
  if (in.type() == ptx::Type::kPred) return &mov_predicate<W>;
  const ptx::Operand& d = in.destinations[0];
  const ptx::Operand& a = in.sources[0];
  const bool packs = a.kind == ptx::Operand::Kind::kVector;
  if (packs || d.kind == ptx::Operand::Kind::kVector) {
    const size_t pieces = packs ? a.elements.size() : d.elements.size();
    switch (ptx::bits(in.type())) {
      case 16:
        return vector_move<W, uint16_t>(pieces, packs);
      case 32:
        return vector_move<W, uint32_t>(pieces, packs);
      case 64:
        return vector_move<W, uint64_t>(pieces, packs);
      default:
        return nullptr;
    }
  }
  return for_integer<W>(in.type(), [](auto t) -> Handler<W> {
    return &mov<W, std::make_unsigned_t<typename decltype(t)::type>>;
  });
}

/// The generic address window of a state space; 0 where generic addresses are the space's own.
constexpr uint64_t window_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return kSharedWindow;
    case ptx::Space::kLocal:
      return kLocalWindow;
    case ptx::Space::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

/// cvta, cvta.to (PTX ISA 9.7.9.20).
template <int W>
void cvta(Step<W>& s) {
  const ptx::Modifiers& m = s.in->text->modifiers;
  const uint64_t window = window_of(m.space);
  const uint64_t* a = s.template source<uint64_t>(0);
  s.template result<uint64_t>([&](int lane) { return m.to ? a[lane] - window : a[lane] + window; });
}

template <int W>
bool is_in_space(const Step<W>& s, ptx::Space space, uint64_t address) {
  const uint64_t window = window_of(space);
  if (window != 0) return address - window < kWindowBytes;
  return is_global_address(s, address, space == ptx::Space::kConst);
}

/// isspacep: whether a generic address lies in the window of a state space.
template <int W>
void isspacep(Step<W>& s) {
  const ptx::Space space = s.in->text->modifiers.space;
  s.result_predicate(0, lanes_where<W>([&](int lane) {
                       const uint64_t address = s.in->wide_source
                                                    ? s.template source<uint64_t>(0)[lane]
                                                    : s.template source<uint32_t>(0)[lane];
                       return is_in_space(s, space, address);
                     }));
}

}  // namespace

template <int W>
Handler<W> movement_handler(const ptx::Instruction& in) {
  switch (in.opcode) {
    case ptx::Opcode::kMov:
      return move<W>(in);
    case ptx::Opcode::kCvta:
      return ptx::bits(in.type()) == 64 ? &cvta<W> : nullptr;
    case ptx::Opcode::kIsspacep:
      return &isspacep<W>;
    default:
      return nullptr;
  }
}

template Handler<4> movement_handler<4>(const ptx::Instruction&);
template Handler<32> movement_handler<32>(const ptx::Instruction&);

}  // namespace warplock::reference_interp
