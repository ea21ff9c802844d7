#pragma once

#include <cstdint>

/// Arithmetic of PTX that LLVM has no instruction for, by the formulas of the PTX ISA. Called by
/// generated code, hence C linkage.
extern "C" {
uint32_t warplock_prmt(uint32_t a, uint32_t b, uint32_t selector);
uint32_t warplock_sad_s(int32_t a, int32_t b, uint32_t c);
uint32_t warplock_sad_u(uint32_t a, uint32_t b, uint32_t c);
int32_t warplock_mulhi_s32(int32_t a, int32_t b);
uint32_t warplock_mulhi_u32(uint32_t a, uint32_t b);
int64_t warplock_mulhi_s64(int64_t a, int64_t b);
uint64_t warplock_mulhi_u64(uint64_t a, uint64_t b);
int32_t warplock_mul24_s(int32_t a, int32_t b);
uint32_t warplock_mul24_u(uint32_t a, uint32_t b);
uint32_t warplock_fns(uint32_t mask, uint32_t base, int32_t offset);
uint32_t warplock_dp4a_s(uint32_t a, uint32_t b, uint32_t c);
uint32_t warplock_dp4a_u(uint32_t a, uint32_t b, uint32_t c);
uint32_t warplock_dp2a_lo_s(uint32_t a, uint32_t b, uint32_t c);
uint32_t warplock_dp2a_lo_u(uint32_t a, uint32_t b, uint32_t c);
uint32_t warplock_dp2a_hi_s(uint32_t a, uint32_t b, uint32_t c);
uint32_t warplock_dp2a_hi_u(uint32_t a, uint32_t b, uint32_t c);
}
