#include "native_exec/hooks.h"

#include <cstring>

#include "native_exec/builtins.h"
#include "native_exec/machine.h"

using warplock::native_exec::BarrierOp;
using warplock::native_exec::Machine;
using warplock::native_exec::Special;
using warplock::native_exec::WarpOp;
using warplock::native_exec::WarpRequest;
using warplock::native_exec::WarpResult;

extern "C" {

static void warplock_load(const std::byte* address, uint32_t site) {
  Machine::current().load(address, site);
}
static void warplock_before_store(const std::byte* address, uint32_t site) {
  Machine::current().before_store(address, site);
}
static void warplock_after_store(const std::byte* address, uint32_t site) {
  Machine::current().after_store(address, site);
}
static void warplock_local(const std::byte* address, const std::byte* base, uint64_t size,
                           uint32_t site) {
  Machine::current().check_local(address, base, size, site);
}
static uint64_t warplock_atomic(std::byte* address, uint64_t value, uint64_t compare,
                                uint32_t site) {
  return Machine::current().atomic(address, value, compare, site);
}
static void warplock_copy(std::byte* to, const std::byte* from, uint64_t bytes, uint32_t site) {
  Machine::current().copy(to, from, bytes, site);
}
static void warplock_fill(std::byte* to, uint32_t value, uint64_t bytes, uint32_t site) {
  Machine::current().fill(to, static_cast<uint8_t>(value), bytes, site);
}
static uint32_t warplock_special(uint32_t which) {
  return Machine::current().special(static_cast<Special>(which));
}
static uint32_t warplock_barrier(uint32_t op, uint32_t predicate, uint32_t site) {
  return Machine::current().barrier(static_cast<BarrierOp>(op), predicate, site);
}
/// The result in the low half, the predicate in bit 32.
static uint64_t warplock_warp(uint32_t op, uint32_t mask, uint64_t value, uint32_t b, uint32_t c,
                              uint32_t site) {
  const WarpResult result =
      Machine::current().warp(WarpRequest{static_cast<WarpOp>(op), mask, value, b, c, site});
  return result.value | uint64_t{result.predicate} << 32;
}
static uint32_t warplock_active_mask(uint32_t site) {
  return Machine::current().active_mask(site);
}
static void warplock_back_edge(uint32_t site) {
  Machine::current().check_steps(site);
}
static void warplock_call(uint64_t bytes, uint32_t site) {
  Machine::current().check_stack(bytes, site);
}
static void warplock_trap(uint32_t site) {
  Machine::current().fault("trap", "the kernel executed __trap()", site);
}
static void warplock_unreachable(uint32_t site) {
  Machine::current().fault("undefined behaviour",
                           "execution came to a place that clang holds to be unreachable", site);
}
static void warplock_unsupported(uint32_t reason, uint32_t site) {
  Machine::current().unsupported(reason, site);
}

}  // extern "C"

namespace warplock::native_exec {

const std::vector<Hook>& all_hooks() {
#define WARPLOCK_HOOK(name, signature) \
  { #name, signature, reinterpret_cast < const void*>(&name) }
  static const std::vector<Hook> hooks = {
      WARPLOCK_HOOK(warplock_load, "vpi"),        WARPLOCK_HOOK(warplock_before_store, "vpi"),
      WARPLOCK_HOOK(warplock_after_store, "vpi"), WARPLOCK_HOOK(warplock_local, "vppli"),
      WARPLOCK_HOOK(warplock_atomic, "lplli"),    WARPLOCK_HOOK(warplock_copy, "vppli"),
      WARPLOCK_HOOK(warplock_fill, "vpili"),      WARPLOCK_HOOK(warplock_special, "ii"),
      WARPLOCK_HOOK(warplock_barrier, "iiii"),    WARPLOCK_HOOK(warplock_warp, "liiliii"),
      WARPLOCK_HOOK(warplock_active_mask, "ii"),  WARPLOCK_HOOK(warplock_back_edge, "vi"),
      WARPLOCK_HOOK(warplock_call, "vli"),        WARPLOCK_HOOK(warplock_trap, "vi"),
      WARPLOCK_HOOK(warplock_unreachable, "vi"),  WARPLOCK_HOOK(warplock_unsupported, "vii"),
      WARPLOCK_HOOK(warplock_prmt, "iiii"),       WARPLOCK_HOOK(warplock_sad_s, "iiii"),
      WARPLOCK_HOOK(warplock_sad_u, "iiii"),      WARPLOCK_HOOK(warplock_mulhi_s32, "iii"),
      WARPLOCK_HOOK(warplock_mulhi_u32, "iii"),   WARPLOCK_HOOK(warplock_mulhi_s64, "lll"),
      WARPLOCK_HOOK(warplock_mulhi_u64, "lll"),   WARPLOCK_HOOK(warplock_mul24_s, "iii"),
      WARPLOCK_HOOK(warplock_mul24_u, "iii"),     WARPLOCK_HOOK(warplock_fns, "iiii"),
      WARPLOCK_HOOK(warplock_dp4a_s, "iiii"),     WARPLOCK_HOOK(warplock_dp4a_u, "iiii"),
      WARPLOCK_HOOK(warplock_dp2a_lo_s, "iiii"),  WARPLOCK_HOOK(warplock_dp2a_lo_u, "iiii"),
      WARPLOCK_HOOK(warplock_dp2a_hi_s, "iiii"),  WARPLOCK_HOOK(warplock_dp2a_hi_u, "iiii"),
  };
#undef WARPLOCK_HOOK
  return hooks;
}

}  // namespace warplock::native_exec
