#pragma once

#include <cstdint>
#include <cstring>

#include "reference_interp/address_map.h"
#include "reference_interp/machine.h"
#include "reference_interp/memory.h"
#include "reference_interp/step.h"

/// From addresses to bytes, with the checks on the way. Shared by loads, stores and atomics.
namespace warplock::reference_interp {

enum class Use : uint8_t { kLoad, kStore, kAtomic };

/// Where an access goes.
struct Place {
  uint8_t* bytes = nullptr;
  uint8_t* written = nullptr;  ///< LocalMemory::State by byte; null where everything has a value
  Shadow* shadow = nullptr;    ///< null where only one thread can write
  uint64_t offset = 0;         ///< in the object
  uint32_t object = 0;         ///< index into Trace::objects
  trace::Space space = trace::Space::kNone;  ///< kNone: not an event (parameters)
};

/// The slow ways through `locate`, and its refusals.
template <int W>
Place locate_slowly(const Step<W>& s, int lane, uint64_t address, uint32_t size, Use use);
template <int W>
[[noreturn]] void report_misaligned(const Step<W>& s, int lane, uint64_t address, uint32_t size);
template <int W>
[[noreturn]] void report_unwritten(const Step<W>& s, int lane, const Place& place, uint32_t size);
template <int W>
[[noreturn]] void report_race(const Step<W>& s, int lane, const Place& place, uint32_t size,
                              Use use, const Access& earlier);

/// Whether a generic address belongs to a .global or (`constant`) .const object.
template <int W>
bool is_global_address(const Step<W>& s, uint64_t address, bool constant) {
  const uint64_t slot = (address - kGlobalBase) >> kGlobalShift;
  const auto& globals = s.machine.memory().globals;
  return address >= kGlobalBase && slot < globals.size() && globals[slot].constant == constant;
}

/// The address that a lane of a memory instruction accesses.
template <int W>
uint64_t address_of(const Step<W>& s, int lane) {
  const uint64_t base = s.in->wide_source ? s.template source<uint64_t>(0)[lane]
                                          : s.template source<uint32_t>(0)[lane];
  return base + static_cast<uint64_t>(s.in->address_offset);
}

/// The bytes of an access of `size` bytes (a power of two), or a fault.
template <int W>
inline Place locate(const Step<W>& s, int lane, uint64_t address, uint32_t size, Use use) {
  if ((address & (size - 1)) != 0) report_misaligned(s, lane, address, size);
  if (s.in->space == ptx::Space::kGlobal || s.in->space == ptx::Space::kGeneric) {
    auto& globals = s.machine.memory().globals;
    const uint64_t slot = (address - kGlobalBase) >> kGlobalShift;
    if (slot < globals.size()) {
      GlobalObject& object = globals[slot];
      const uint64_t offset = address - object.base;
      if (offset < object.bytes.size() && size <= object.bytes.size() - offset &&
          !object.constant) {
        return {object.bytes.data() + offset,
                nullptr,
                &object.shadow,
                offset,
                static_cast<uint32_t>(slot),
                trace::Space::kGlobal};
      }
    }
  } else if (s.in->space == ptx::Space::kShared) {
    const auto& variables = s.machine.memory().shared;
    const uint64_t slot = (address - kSharedBase) >> kSharedShift;
    if (slot < variables.size()) {
      const SharedVariable& variable = variables[slot];
      const uint64_t offset = address - variable.address;
      if (offset < variable.size && size <= variable.size - offset) {
        SharedMemory& shared = s.cta.shared;
        const uint64_t at = variable.offset + offset;
        return {shared.bytes.data() + at, shared.written.data() + at, &shared.shadows[slot], offset,
                variable.trace_object,    trace::Space::kShared};
      }
    }
  }
  return locate_slowly(s, lane, address, size, use);
}

template <int W>
inline Accessor accessor(const Step<W>& s, int lane, bool atomic) {
  return {s.thread(lane), s.pc, atomic, &s.cta.clock};
}

/// What a load of T must see: every byte written, and no race.
template <class T, int W>
inline void check_load(const Step<W>& s, int lane, const Place& place, Use use = Use::kLoad) {
  if (place.written != nullptr) {
    uint8_t all_written[sizeof(T)];
    std::memset(all_written, LocalMemory::kWritten, sizeof(T));
    if (std::memcmp(place.written, all_written, sizeof(T)) != 0) {
      report_unwritten(s, lane, place, sizeof(T));
    }
  }
  if (place.shadow == nullptr || use == Use::kAtomic) return;
  RaceDetector& races = s.machine.races();
  if (s.in->synchronises) races.acquire(*place.shadow, place.offset, s.thread(lane), s.cta.clock);
  const Access* earlier =
      races.read(*place.shadow, place.offset, sizeof(T), accessor(s, lane, s.in->synchronises));
  if (earlier != nullptr) report_race(s, lane, place, sizeof(T), Use::kLoad, *earlier);
}

template <class T, int W>
inline void check_store(const Step<W>& s, int lane, const Place& place, Use use) {
  if (place.written != nullptr) std::memset(place.written, LocalMemory::kWritten, sizeof(T));
  if (place.shadow == nullptr) return;
  RaceDetector& races = s.machine.races();
  const bool atomic = use == Use::kAtomic || s.in->synchronises;
  const Access* earlier =
      races.write(*place.shadow, place.offset, sizeof(T), accessor(s, lane, atomic));
  if (earlier != nullptr) report_race(s, lane, place, sizeof(T), use, *earlier);
  if (atomic) races.release(*place.shadow, place.offset, s.thread(lane), s.cta.clock);
}

/// A memory event.
template <int W>
inline void record_access(const Step<W>& s, int lane, trace::EventKind kind, const Place& place,
                          uint32_t size, int element, uint64_t value, uint64_t old = 0) {
  Recorder& recorder = s.machine.recorder();
  if (!recorder.memory() || place.space == trace::Space::kNone) return;
  trace::Event e = s.machine.event(s, lane, kind);
  e.space = place.space;
  e.width = static_cast<uint8_t>(size);
  e.element = static_cast<uint8_t>(element);
  e.object = place.object;
  e.offset = place.offset;
  e.value = value;
  e.old = old;
  recorder.events.push_back(e);
}

}  // namespace warplock::reference_interp
