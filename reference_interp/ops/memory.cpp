#include "reference_interp/ops/access.h"
#include "reference_interp/ops/elementwise.h"
#include "reference_interp/ops/families.h"

/// Loads and stores (PTX ISA 9.7.9.8 to 9.7.9.12). A load extends by its type to the width of the
/// register; a store takes the low bytes of the register.
namespace warplock::reference_interp {
namespace {

template <class T>
uint64_t extended(T value) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(int64_t{value});
  } else {
    return value;
  }
}

/// ld: T is what lies in memory, Row the word of the destination's row.
template <int W, class T, class Row>
void ld(Step<W>& s) {
  const int elements = s.in->destinations;
  const uint32_t size = static_cast<uint32_t>(sizeof(T)) * static_cast<uint32_t>(elements);
  const uint64_t mask = s.in->register_mask;
  s.machine.races().tick();
  if (s.in->synchronises) s.warp.communicated = true;
  for_each_lane(s.exec, [&](int lane) {
    Place place = locate(s, lane, address_of(s, lane), size, Use::kLoad);
    for (int element = 0; element < elements; ++element) {
      check_load<T>(s, lane, place);
      T value;
      std::memcpy(&value, place.bytes, sizeof(T));
      s.template destination<Row>(element)[lane] = static_cast<Row>(extended(value) & mask);
      record_access(s, lane, trace::EventKind::kLoad, place, sizeof(T), element,
                    to_stored<T>(value));
      place.bytes += sizeof(T);
      place.offset += sizeof(T);
      if (place.written != nullptr) place.written += sizeof(T);
    }
  });
}

template <int W, class T, class Row>
void st(Step<W>& s) {
  const int elements = s.in->sources - 1;
  const uint32_t size = static_cast<uint32_t>(sizeof(T)) * static_cast<uint32_t>(elements);
  s.machine.races().tick();
  for_each_lane(s.exec, [&](int lane) {
    Place place = locate(s, lane, address_of(s, lane), size, Use::kStore);
    for (int element = 0; element < elements; ++element) {
      const T value = static_cast<T>(s.template source<Row>(1 + element)[lane]);
      check_store<T>(s, lane, place, Use::kStore);
      std::memcpy(place.bytes, &value, sizeof(T));
      record_access(s, lane, trace::EventKind::kStore, place, sizeof(T), element,
                    to_stored<T>(value));
      place.bytes += sizeof(T);
      place.offset += sizeof(T);
      if (place.written != nullptr) place.written += sizeof(T);
    }
  });
}

/// Prefetches, fences and nanosleep: nothing to do (an atomic access orders by itself here).
template <int W>
void nothing(Step<W>&) {}

template <int W, class T>
Handler<W> access(bool load, bool wide) {
  if (load) return wide ? &ld<W, T, uint64_t> : &ld<W, T, uint32_t>;
  using U = std::make_unsigned_t<T>;
  return wide ? &st<W, U, uint64_t> : &st<W, U, uint32_t>;
}

template <int W>
Handler<W> access_of_type(ptx::Type type, bool load, bool wide) {
  using ptx::Type;
  switch (type) {
    case Type::kB8:
    case Type::kU8:
      return access<W, uint8_t>(load, wide);
    case Type::kS8:
      return access<W, int8_t>(load, wide);
    default:
      break;
  }
  return for_integer<W>(type,
                        [&](auto t) { return access<W, typename decltype(t)::type>(load, wide); });
}

}  // namespace

template <int W>
Handler<W> memory_handler(const ptx::Instruction& in, const RegisterWidths& widths) {
  using ptx::Opcode;
  switch (in.opcode) {
    case Opcode::kLd:
    case Opcode::kLdu:
      return access_of_type<W>(in.type(), true, widths.destination > 32);
    case Opcode::kSt:
      return access_of_type<W>(in.type(), false, widths.source > 32);
    case Opcode::kPrefetch:
    case Opcode::kPrefetchu:
    case Opcode::kMembar:
    case Opcode::kFence:
      return &nothing<W>;
    default:
      return nullptr;
  }
}

template Handler<4> memory_handler<4>(const ptx::Instruction&, const RegisterWidths&);
template Handler<32> memory_handler<32>(const ptx::Instruction&, const RegisterWidths&);

}  // namespace warplock::reference_interp
