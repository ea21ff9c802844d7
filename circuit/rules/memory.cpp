#include <algorithm>

#include "circuit/rules.h"

/// Loads and stores (PTX ISA 9.7.9.8 to 9.7.9.12). Memory has words: smaller loads shift and mask
/// one, smaller stores replace a part of one, a lane at a time. Parameters are constants.
namespace warplock::circuit {

namespace {

using ir::Source;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

Value k(uint32_t word) {
  return Emitter::constant(word);
}

const Operand& address_operand(const Instruction& i) {
  return i.sources[0];
}
bool is_parameter(const Instruction& i) {
  return address_operand(i).base == Operand::Base::kParameter;
}
bool is_param_space(const Instruction& i) {
  return i.modifiers.space == ptx::Space::kParam;
}
uint32_t bits(const Instruction& i) {
  return ptx::bits(i.type());
}
bool is_part(const Instruction& i) {
  return bits(i) < 32;
}

std::vector<Operand> elements_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::kVector) return operand.elements;
  return {operand};
}

/// The value of a load of type `type` as the destination register has it.
Wide extended(Emitter& e, Value word) {
  const uint32_t width = bits(e.ptx());
  if (width < 32) word = e.is_signed() ? e.sign_extend(word, width) : e.zero_extend(word, width);
  return extend(e, word, e.is_signed());
}

/// Word `index` of the argument of a parameter: a constant, or a word of memory.
Value argument_word(Emitter& e, uint32_t parameter, uint32_t index) {
  const executor::Argument& argument = e.context().launch.arguments[parameter];
  const Layout& layout = e.context().layout;
  if (argument.is_buffer) return k(index == 0 ? layout.of_argument(parameter)->base : 0);
  if (index > 1) return k(0);
  if (layout.scalar_address.empty()) {
    return k(static_cast<uint32_t>(argument.scalar >> (32 * index)));
  }
  return e.launch_word(layout.scalar_address[parameter] / 4 + index);
}

/// A word of parameter space, or what is needed of it: `at` is any byte address in there.
Value parameter_space(Emitter& e, int64_t at, uint32_t bytes) {
  const ptx::Function& entry = *e.frame().function;
  Value word = k(0);
  for (uint32_t byte = 0; byte < bytes;) {
    const int64_t place = at + byte;
    uint32_t taken = 1;
    for (uint32_t p = 0; p < entry.parameters.size(); ++p) {
      const int64_t inside = place - entry.parameters[p].offset;
      if (inside < 0 || inside >= int64_t{entry.parameters[p].size}) continue;
      const auto in_word = static_cast<uint32_t>(inside % 4);
      taken = std::min(bytes - byte, 4 - in_word);
      const Value source = argument_word(e, p, static_cast<uint32_t>(inside / 4));
      const Value part = e.zero_extend(e.shr_u(source, k(8 * in_word)), 8 * taken);
      word = e.or_(word, e.shl(part, k(8 * byte)));
    }
    byte += taken;
  }
  return word;
}

void load_argument(Emitter& e) {
  const Operand& address = address_operand(e.ptx());
  const ptx::Function& entry = *e.frame().function;
  const std::vector<Operand> targets = elements_of(e.ptx().destinations[0]);
  const uint32_t size = bits(e.ptx()) / 8;
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t at =
        entry.parameters[address.index].offset + address.offset + static_cast<int64_t>(i) * size;
    const Value low = parameter_space(e, at, std::min(size, 4u));
    const Wide value = size == 8 ? Wide{low, parameter_space(e, at + 4, 4)} : extended(e, low);
    e.out(targets[i], value, static_cast<uint8_t>(i));
  }
}

/// The word of a .param variable of a call that an access begins in.
size_t parameter_word(Emitter& e, int64_t offset) {
  if (offset % 4 != 0) e.refuse("parameters of a call packed into one word");
  return static_cast<size_t>(offset / 4);
}

std::vector<ir::Register>& call_parameter(Emitter& e) {
  const Operand& address = address_operand(e.ptx());
  if (address.base != Operand::Base::kVariable) e.refuse("computed addresses of parameters");
  return e.parameter_words(address.index);
}

void load_call_parameter(Emitter& e) {
  std::vector<ir::Register>& words = call_parameter(e);
  const std::vector<Operand> targets = elements_of(e.ptx().destinations[0]);
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t at = parameter_word(
        e, address_operand(e.ptx()).offset + static_cast<int64_t>(i) * (bits(e.ptx()) / 8));
    const Value low = Value::reg(words.at(at));
    const Wide value =
        bits(e.ptx()) == 64 ? Wide{low, Value::reg(words.at(at + 1))} : extended(e, low);
    e.out(targets[i], value, static_cast<uint8_t>(i));
  }
}

void store_call_parameter(Emitter& e) {
  std::vector<ir::Register>& words = call_parameter(e);
  const std::vector<Operand> values = elements_of(e.ptx().sources[1]);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = parameter_word(
        e, address_operand(e.ptx()).offset + static_cast<int64_t>(i) * (bits(e.ptx()) / 8));
    if (bits(e.ptx()) == 64) {
      const Wide value = e.wide(values[i]);
      e.set(Value::reg(words.at(at)), value.low);
      e.set(Value::reg(words.at(at + 1)), value.high);
    } else {
      e.set(Value::reg(words.at(at)), e.in(values[i], e.type()));
    }
  }
}

ir::Event access(Emitter& e, trace::EventKind kind, size_t element) {
  ir::Event event = e.new_event(kind, bits(e.ptx()) / 8, static_cast<uint32_t>(element));
  event.address = Source::address();
  event.value = Source::result();
  return event;
}

void load(Emitter& e) {
  const Emitter::Address address = e.address(0);
  const std::vector<Operand> targets = elements_of(e.ptx().destinations[0]);
  const uint32_t size = bits(e.ptx()) / 8;
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t offset = address.offset + static_cast<int64_t>(i) * size;
    ir::Event event = access(e, trace::EventKind::kLoad, i);
    Value high;
    if (size == 8) {
      high = e.load_word(address.base, offset + 4);
      e.pin();
      event.high = Source::of(high);
    }
    const Value low = e.load_word(address.base, offset);
    e.pin();
    e.event(event);
    e.out(targets[i], size == 8 ? Wide{low, high} : extended(e, low), static_cast<uint8_t>(i));
  }
}

/// Bits that the part of a word at `address` lies above.
Value shift_of(Emitter& e, Value address) {
  return e.and_(e.shl(address, k(3)), k(24));
}

void load_part(Emitter& e) {
  const Emitter::Address address = e.address(0);
  const std::vector<Operand> targets = elements_of(e.ptx().destinations[0]);
  const uint32_t size = bits(e.ptx()) / 8;
  const bool aligned = e.low_zero_bits(address.base) >= 2;
  for (size_t i = 0; i < targets.size(); ++i) {
    const int64_t offset = address.offset + static_cast<int64_t>(i) * size;
    const Value whole = e.add(address.base, k(static_cast<uint32_t>(offset)));
    const Value shift = aligned ? k(8 * static_cast<uint32_t>(offset & 3)) : shift_of(e, whole);
    const Value word = e.load_word(address.base, offset);
    e.pin();
    const Value part = e.shr_u(word, shift);
    ir::Event event = access(e, trace::EventKind::kLoad, i);
    event.address = Source::of(whole);
    event.value = Source::result();
    const Value value =
        e.is_signed() ? e.sign_extend(part, 8 * size) : e.zero_extend(part, 8 * size);
    e.event(event);
    e.out(targets[i], extend(e, value, e.is_signed()), static_cast<uint8_t>(i));
  }
}

void store(Emitter& e) {
  const Emitter::Address address = e.address(0);
  const std::vector<Operand> values = elements_of(e.ptx().sources[1]);
  const uint32_t size = bits(e.ptx()) / 8;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t offset = address.offset + static_cast<int64_t>(i) * size;
    ir::Event event = access(e, trace::EventKind::kStore, i);
    Value low;
    if (size == 8) {
      const Wide value = e.wide(values[i]);
      e.store_word(address.base, offset + 4, value.high);
      event.high = Source::of(value.high);
      low = value.low;
    } else {
      low = e.in(values[i], e.type());
    }
    e.store_word(address.base, offset, low);
    e.event(event);
  }
}

/// Replaces the part of the word, in a serial block: other lanes may store into the same word.
void store_part(Emitter& e) {
  const Emitter::Address address = e.address(0);
  const std::vector<Operand> values = elements_of(e.ptx().sources[1]);
  const uint32_t size = bits(e.ptx()) / 8;
  const uint32_t ones = size == 1 ? 0xff : 0xffff;
  const bool aligned = e.low_zero_bits(address.base) >= 2;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t offset = address.offset + static_cast<int64_t>(i) * size;
    const Value part = e.zero_extend(e.in(values[i], ptx::Type::kB32), 8 * size);
    ir::Event event = access(e, trace::EventKind::kStore, i);
    const Value whole = e.add(address.base, k(static_cast<uint32_t>(offset)));
    const Value shift = aligned ? k(8 * static_cast<uint32_t>(offset & 3)) : shift_of(e, whole);
    const Value moved = e.shl(part, shift);
    const Value others = e.not_(e.shl(k(ones), shift));
    e.begin_serial();
    const Value word = e.and_(e.load_word(address.base, offset), others);
    e.store_if({}, address.base, offset, e.or_(word, moved));
    event.address = Source::of(whole);
    event.value = Source::of(part);
    e.event(event);
    e.end_serial();
  }
}

constexpr Rule kRules[] = {
    {"ld.argument", Opcode::kLd, is_parameter, load_argument},
    {"ld.param", Opcode::kLd, is_param_space, load_call_parameter},
    {"ld.part", Opcode::kLd, is_part, load_part},
    {"ld", Opcode::kLd, nullptr, load},
    {"ldu.part", Opcode::kLdu, is_part, load_part},
    {"ldu", Opcode::kLdu, nullptr, load},
    {"st.param", Opcode::kSt, is_param_space, store_call_parameter},
    {"st.part", Opcode::kSt, is_part, store_part, true},
    {"st", Opcode::kSt, nullptr, store},
    {"prefetch", Opcode::kPrefetch, nullptr, [](Emitter&) {}},
    {"prefetchu", Opcode::kPrefetchu, nullptr, [](Emitter&) {}},
};

}  // namespace

std::span<const Rule> memory_rules() {
  return kRules;
}

}  // namespace warplock::circuit
