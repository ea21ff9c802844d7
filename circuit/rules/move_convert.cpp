#include <algorithm>

#include "circuit/rules.h"

/// Movement and conversion (PTX ISA 9.7.9): mov, cvt, cvta, isspacep. All spaces are parts of one
/// memory, so a generic address is the address in its space.
namespace warplock::circuit {

namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

bool unpacks(const Instruction& i) {
  return i.destinations[0].kind == Operand::Kind::kVector;
}
bool packs(const Instruction& i) {
  return i.sources[0].kind == Operand::Kind::kVector;
}
bool is_wide(const Instruction& i) {
  return ptx::bits(i.type()) == 64;
}

ptx::Type unsigned_of(uint32_t bits) {
  switch (bits) {
    case 8:
      return ptx::Type::kB8;
    case 16:
      return ptx::Type::kB16;
    default:
      return ptx::Type::kB32;
  }
}

/// d = {first, second, ...}: the first element is the lowest.
void pack(Emitter& e) {
  const std::vector<Operand>& parts = e.ptx().sources[0].elements;
  const uint32_t total = ptx::bits(e.type());
  const uint32_t bits = total / static_cast<uint32_t>(parts.size());
  Value words[2] = {k(0), k(0)};
  for (size_t i = 0; i < parts.size(); ++i) {
    const uint32_t at = static_cast<uint32_t>(i) * bits;
    const Value part = e.in(parts[i], unsigned_of(bits));
    words[at / 32] = e.or_(words[at / 32], e.shl(part, k(at % 32)));
  }
  e.out(0, Wide{words[0], words[1]});
}

void unpack(Emitter& e) {
  const std::vector<Operand>& parts = e.ptx().destinations[0].elements;
  const uint32_t total = ptx::bits(e.type());
  const uint32_t bits = total / static_cast<uint32_t>(parts.size());
  const Wide whole = total == 64 ? e.wide(0) : Wide{e.in(0, unsigned_of(total)), k(0)};
  for (size_t i = 0; i < parts.size(); ++i) {
    const uint32_t at = static_cast<uint32_t>(i) * bits;
    const Value word = at >= 32 ? whole.high : whole.low;
    e.out(parts[i], e.zero_extend(e.shr_u(word, k(at % 32)), bits), static_cast<uint8_t>(i));
  }
}

void move(Emitter& e) {
  const uint32_t bits = ptx::bits(e.type());
  if (e.type() == ptx::Type::kPred || bits == 32) {
    e.out(0, e.in(0));
  } else {
    e.out(0, e.in(0, unsigned_of(bits)));
  }
}

int64_t least(ptx::Type type) {
  return ptx::is_signed(type) ? -(int64_t{1} << (ptx::bits(type) - 1)) : 0;
}
int64_t greatest(ptx::Type type) {
  return static_cast<int64_t>((uint64_t{1} << (ptx::bits(type) - (ptx::is_signed(type) ? 1 : 0))) -
                              1);
}

/// The nearest value of type `to`, for words.
Value limit(Emitter& e, Value value, ptx::Type to, ptx::Type from) {
  if (ptx::bits(to) == 64)
    return ptx::is_signed(from) && !ptx::is_signed(to) ? e.max_s(value, k(0)) : value;
  const auto word = [](int64_t x) { return k(static_cast<uint32_t>(x)); };
  if (!ptx::is_signed(from)) {
    return greatest(to) < greatest(from) ? e.min_u(value, word(greatest(to))) : value;
  }
  if (least(to) > least(from)) value = e.max_s(value, word(least(to)));
  if (greatest(to) < greatest(from)) value = e.min_s(value, word(greatest(to)));
  return value;
}

/// The nearest value of type `to`, for 64-bit numbers.
Wide limit(Emitter& e, Wide value, ptx::Type to, ptx::Type from) {
  const bool is_signed = ptx::is_signed(from);
  const auto wide = [](int64_t x) {
    return Wide{k(static_cast<uint32_t>(x)), k(static_cast<uint32_t>(x >> 32))};
  };
  if (ptx::bits(to) == 64) {
    if (is_signed == ptx::is_signed(to)) return value;
    if (!is_signed) return select_wide(e, e.lt_s(value.high, k(0)), wide(INT64_MAX), value);
    return select_wide(e, e.lt_s(value.high, k(0)), wide(0), value);
  }
  if (is_signed) {
    value = select_wide(e, less_wide(e, value, wide(least(to)), true), wide(least(to)), value);
  }
  return select_wide(e, less_wide(e, wide(greatest(to)), value, is_signed), wide(greatest(to)),
                     value);
}

/// The result is extended by the type it was converted to, when its register is wider.
void convert(Emitter& e) {
  const ptx::Type to = e.ptx().types[0], from = e.ptx().types[1];
  if (to == ptx::Type::kF32 || from == ptx::Type::kF32) e.refuse("floating point");
  Wide value;
  if (ptx::bits(from) == 64) {
    value = e.wide(0);
    if (e.modifiers().saturate) value = limit(e, value, to, from);
  } else {
    Value word = e.in(0, from);
    if (e.modifiers().saturate) word = limit(e, word, to, from);
    value =
        extend(e, word, ptx::is_signed(from) && !(e.modifiers().saturate && !ptx::is_signed(to)));
  }
  const uint32_t bits = ptx::bits(to);
  if (bits == 64) {
    e.out(0, value);
    return;
  }
  Value word = value.low;
  if (bits < 32) {
    word = ptx::is_signed(to) ? e.sign_extend(word, bits) : e.zero_extend(word, bits);
  }
  e.out(0, extend(e, word, ptx::is_signed(to)));
}

/// Which objects an address lies in: its window runs from the first to the last of them.
void in_space(Emitter& e) {
  const ptx::Space space = e.modifiers().space;
  const Layout& layout = e.context().layout;
  uint32_t begin = 0xffffffff, end = 0;
  if (space == ptx::Space::kLocal) {
    begin = layout.local_base;
    end = begin + layout.local_bytes * e.context().launch.threads_per_cta();
  }
  for (const Layout::Object& object : layout.objects) {
    bool inside = false;
    if (object.variable != ptx::kNoIndex) {
      inside = e.context().module.variables[object.variable].space == space;
    } else {
      inside = space == ptx::Space::kGlobal;
    }
    if (!inside) continue;
    begin = std::min(begin, object.base);
    end = std::max(end, object.base + object.size);
  }
  if (begin >= end) {
    e.out(0, k(0));
    return;
  }
  e.out(0, e.lt_u(e.sub(e.wide(0).low, k(begin)), k(end - begin)));
}

constexpr Rule kRules[] = {
    {"mov.unpack", Opcode::kMov, unpacks, unpack},
    {"mov.pack", Opcode::kMov, packs, pack},
    {"mov.64", Opcode::kMov, is_wide, [](Emitter& e) { e.out(0, e.wide(0)); }},
    {"mov", Opcode::kMov, nullptr, move},
    {"cvta", Opcode::kCvta, nullptr, [](Emitter& e) { e.out(0, e.wide(0)); }},
    {"cvt", Opcode::kCvt, nullptr, convert},
    {"isspacep", Opcode::kIsspacep, nullptr, in_space},
};

}  // namespace

std::span<const Rule> move_convert_rules() {
  return kRules;
}

}  // namespace warplock::circuit
