#include "reference_interp/ops/access.h"

#include <algorithm>

#include <fmt/format.h>

namespace warplock::reference_interp {
namespace {

using ptx::Space;

const char* verb(Use use) {
  switch (use) {
    case Use::kLoad:
      return "loads";
    case Use::kStore:
      return "stores";
    case Use::kAtomic:
      return "atomically updates";
  }
  return "";
}

std::string bytes_text(uint64_t offset, uint32_t size) {
  return size == 1 ? fmt::format("byte {}", offset)
                   : fmt::format("bytes {} to {}", offset, offset + size - 1);
}

/// Says of an address that is nobody's which object it was probably meant for.
template <int W>
std::string nearest_object(const Step<W>& s, uint64_t address) {
  const Memory& memory = s.machine.memory();
  const auto describe = [](std::string_view what, const std::string& name, int64_t offset,
                           uint64_t size) {
    return fmt::format("offset {} of {} '{}', which has {} bytes", offset, what, name, size);
  };
  const uint64_t slot = (address - kGlobalBase + kGlobalReach) >> kGlobalShift;
  if (slot < memory.globals.size()) {
    const GlobalObject& object = memory.globals[slot];
    return describe(object.constant ? "constant" : "global", object.name,
                    static_cast<int64_t>(address - object.base), object.bytes.size());
  }
  const uint64_t in_space = address % kWindowBytes;
  const uint64_t shared_slot =
      (in_space - kSharedBase + (uint64_t{1} << (kSharedShift - 4))) >> kSharedShift;
  if (shared_slot < memory.shared.size()) {
    const SharedVariable& variable = memory.shared[shared_slot];
    return describe("shared", variable.name, static_cast<int64_t>(in_space - variable.address),
                    variable.size);
  }
  if (in_space >= kLocalBase && in_space < kLocalBase + kMaxLocalBytes) {
    return fmt::format("offset {} of the thread's local memory", in_space - kLocalBase);
  }
  if (in_space >= kParamBase && in_space < kParamBase + kMaxParamBytes) {
    return fmt::format("offset {} of the parameters", in_space - kParamBase);
  }
  return address < 0x10000 ? "close to null" : "no object's";
}

template <int W>
[[noreturn]] void report_nobodys(const Step<W>& s, int lane, uint64_t address, uint32_t size,
                                 Use use) {
  s.fault(lane, "out of bounds",
          fmt::format("{} {} byte{} at address {:#x}: {}", verb(use), size, size == 1 ? "" : "s",
                      address, nearest_object(s, address)));
}

template <int W>
Place in_shared(const Step<W>& s, int lane, uint64_t address, uint64_t spelled, uint32_t size,
                Use use) {
  const auto& variables = s.machine.memory().shared;
  const uint64_t slot = (address - kSharedBase) >> kSharedShift;
  if (slot >= variables.size()) report_nobodys(s, lane, spelled, size, use);
  const SharedVariable& variable = variables[slot];
  const uint64_t offset = address - variable.address;
  if (offset >= variable.size || size > variable.size - offset) {
    report_nobodys(s, lane, spelled, size, use);
  }
  SharedMemory& shared = s.cta.shared;
  const uint64_t at = variable.offset + offset;
  return {shared.bytes.data() + at, shared.written.data() + at, &shared.shadows[slot], offset,
          variable.trace_object,    trace::Space::kShared};
}

template <int W>
Place in_local(const Step<W>& s, int lane, uint64_t address, uint64_t spelled, uint32_t size,
               Use use, trace::Space space) {
  LocalMemory& local = s.warp.local[lane];
  const uint64_t offset = address - kLocalBase;
  if (offset >= local.bytes.size() || size > local.bytes.size() - offset) {
    report_nobodys(s, lane, spelled, size, use);
  }
  uint8_t* state = local.state.data() + offset;
  if (std::find(state, state + size, LocalMemory::kNobodys) != state + size) {
    report_nobodys(s, lane, spelled, size, use);
  }
  return {local.bytes.data() + offset,           state, nullptr, offset,
          s.machine.memory().local_trace_object, space};
}

template <int W>
Place in_parameters(const Step<W>& s, int lane, uint64_t address, uint64_t spelled, uint32_t size,
                    Use use) {
  std::vector<uint8_t>& parameters = s.machine.memory().parameters;
  const uint64_t offset = address - kParamBase;
  if (offset >= parameters.size() || size > parameters.size() - offset) {
    report_nobodys(s, lane, spelled, size, use);
  }
  if (use != Use::kLoad) {
    s.fault(lane, "read-only memory",
            fmt::format("{} to the kernel's parameters, which are constant", verb(use)));
  }
  return {parameters.data() + offset, nullptr, nullptr, offset, 0, trace::Space::kNone};
}

template <int W>
Place in_globals(const Step<W>& s, int lane, uint64_t address, uint32_t size, Use use) {
  auto& globals = s.machine.memory().globals;
  const uint64_t slot = (address - kGlobalBase) >> kGlobalShift;
  if (slot >= globals.size()) report_nobodys(s, lane, address, size, use);
  GlobalObject& object = globals[slot];
  const uint64_t offset = address - object.base;
  if (offset >= object.bytes.size() || size > object.bytes.size() - offset) {
    report_nobodys(s, lane, address, size, use);
  }
  if (object.constant && use != Use::kLoad) {
    s.fault(lane, "read-only memory",
            fmt::format("{} to the constant '{}'", verb(use), object.name));
  }
  const Space space = s.in->space;
  if (space != Space::kGeneric && (space == Space::kConst) != object.constant) {
    s.fault(
        lane, "wrong state space",
        fmt::format("{} '{}', which is in .{} memory, by an instruction for .{} memory", verb(use),
                    object.name, object.constant ? "const" : "global", ptx::spelling(space)));
  }
  return {object.bytes.data() + offset,
          nullptr,
          object.constant ? nullptr : &object.shadow,
          offset,
          static_cast<uint32_t>(slot),
          trace::Space::kGlobal};
}

}  // namespace

template <int W>
Place locate_slowly(const Step<W>& s, int lane, uint64_t address, uint32_t size, Use use) {
  switch (s.in->space) {
    case Space::kShared:
      return in_shared(s, lane, address, address, size, use);
    case Space::kLocal:
      return in_local(s, lane, address, address, size, use, trace::Space::kLocal);
    case Space::kParam:
      // The .param variables of a call lie in local memory.
      if (address - kLocalBase < kMaxLocalBytes) {
        return in_local(s, lane, address, address, size, use, trace::Space::kNone);
      }
      return in_parameters(s, lane, address, address, size, use);
    case Space::kGlobal:
    case Space::kConst:
      return in_globals(s, lane, address, size, use);
    case Space::kGeneric:
      break;
  }
  if (address - kSharedWindow < kWindowBytes) {
    return in_shared(s, lane, address - kSharedWindow, address, size, use);
  }
  if (address - kLocalWindow < kWindowBytes) {
    return in_local(s, lane, address - kLocalWindow, address, size, use, trace::Space::kLocal);
  }
  if (address - kParamWindow < kWindowBytes) {
    return in_parameters(s, lane, address - kParamWindow, address, size, use);
  }
  return in_globals(s, lane, address, size, use);
}

template <int W>
void report_misaligned(const Step<W>& s, int lane, uint64_t address, uint32_t size) {
  s.fault(lane, "misaligned",
          fmt::format("accesses {} bytes at address {:#x} ({}), which is not a multiple of {}",
                      size, address, nearest_object(s, address), size));
}

template <int W>
void report_unwritten(const Step<W>& s, int lane, const Place& place, uint32_t size) {
  const auto& objects = s.machine.memory().trace_objects;
  const bool named = place.space == trace::Space::kShared;
  s.fault(lane, "uninitialised",
          fmt::format("loads {} of {}, to which nothing has been stored",
                      bytes_text(place.offset, size),
                      named ? fmt::format("shared '{}'", objects[place.object].name)
                            : std::string("the thread's local memory")));
}

template <int W>
void report_race(const Step<W>& s, int lane, const Place& place, uint32_t size, Use use,
                 const Access& earlier) {
  const Reporter& reporter = s.machine.reporter();
  const auto& object = s.machine.memory().trace_objects[place.object];
  const std::string what = fmt::format(
      "{} '{}'", place.space == trace::Space::kShared ? "shared" : "global", object.name);
  ProgramFault fault;
  fault.diagnostics.push_back(reporter.error(
      "data race", s.thread(lane), s.pc,
      fmt::format("{} {} of {}; {} accesses it at {}, and nothing orders the two", verb(use),
                  bytes_text(place.offset, size), what, reporter.thread(earlier.thread()),
                  reporter.place(earlier.instruction()))));
  fault.diagnostics.push_back(reporter.note(earlier.thread(), earlier.instruction(), "data race",
                                            "the other access is here"));
  throw fault;
}

#define WARPLOCK_INSTANTIATE(W)                                                   \
  template Place locate_slowly<W>(const Step<W>&, int, uint64_t, uint32_t, Use);  \
  template void report_misaligned<W>(const Step<W>&, int, uint64_t, uint32_t);    \
  template void report_unwritten<W>(const Step<W>&, int, const Place&, uint32_t); \
  template void report_race<W>(const Step<W>&, int, const Place&, uint32_t, Use, const Access&);
WARPLOCK_INSTANTIATE(4)
WARPLOCK_INSTANTIATE(32)
#undef WARPLOCK_INSTANTIATE

}  // namespace warplock::reference_interp
