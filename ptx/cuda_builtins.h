#pragma once

// What CUDA C offers to device code, for clang without a CUDA toolkit: integer kernels need no
// more. Included before every kernel that clang compiles (ptx/from_cuda.h). Semantics are those of
// the CUDA C++ Programming Guide; each function maps to the PTX instruction that nvcc uses for it.
//
// Every function is `nodebug`, so that what it is inlined into keeps the user's own line numbers,
// and `always_inline`, so that no call of it is left in the PTX.

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

#define __WARPLOCK_FN static __device__ inline __attribute__((always_inline, nodebug, unused))
#define __WARPLOCK_GET __device__ inline __attribute__((always_inline, nodebug))

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#ifndef NULL
#define NULL 0
#endif

// ---- vector types ----

#define __WARPLOCK_VECTOR(name, base, align2, align4)                               \
  struct name##1 {                                                                  \
    base x;                                                                         \
  };                                                                                \
  struct __align__(align2) name##2 {                                                \
    base x, y;                                                                      \
  };                                                                                \
  struct name##3 {                                                                  \
    base x, y, z;                                                                   \
  };                                                                                \
  struct __align__(align4) name##4 {                                                \
    base x, y, z, w;                                                                \
  };                                                                                \
  static __host__ __device__ inline __attribute__((always_inline, nodebug, unused)) \
  name##1 make_##name##1(base x) {                                                  \
    return name##1 {x};                                                             \
  }                                                                                 \
  static __host__ __device__ inline __attribute__((always_inline, nodebug, unused)) \
  name##2 make_##name##2(base x, base y) {                                          \
    return name##2 {x, y};                                                          \
  }                                                                                 \
  static __host__ __device__ inline __attribute__((always_inline, nodebug, unused)) \
  name##3 make_##name##3(base x, base y, base z) {                                  \
    return name##3 {x, y, z};                                                       \
  }                                                                                 \
  static __host__ __device__ inline __attribute__((always_inline, nodebug, unused)) \
  name##4 make_##name##4(base x, base y, base z, base w) {                          \
    return name##4 {x, y, z, w};                                                    \
  }
__WARPLOCK_VECTOR(char, signed char, 2, 4)
__WARPLOCK_VECTOR(uchar, unsigned char, 2, 4)
__WARPLOCK_VECTOR(short, short, 4, 8)
__WARPLOCK_VECTOR(ushort, unsigned short, 4, 8)
__WARPLOCK_VECTOR(int, int, 8, 16)
__WARPLOCK_VECTOR(uint, unsigned int, 8, 16)
__WARPLOCK_VECTOR(longlong, long long, 16, 16)
__WARPLOCK_VECTOR(ulonglong, unsigned long long, 16, 16)
#undef __WARPLOCK_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__
      __attribute__((nodebug)) constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                              unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ __attribute__((nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ __attribute__((nodebug)) constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

// ---- where a thread is ----

#define __WARPLOCK_COORDINATES(variable, sreg, conversion)                                       \
  struct __warplock_##variable {                                                                 \
    __declspec(property(get = get_x)) unsigned int x;                                            \
    __declspec(property(get = get_y)) unsigned int y;                                            \
    __declspec(property(get = get_z)) unsigned int z;                                            \
    static __WARPLOCK_GET unsigned int get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }     \
    static __WARPLOCK_GET unsigned int get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }     \
    static __WARPLOCK_GET unsigned int get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); }     \
    __WARPLOCK_GET operator conversion() const { return conversion{get_x(), get_y(), get_z()}; } \
  };                                                                                             \
  extern const __device__ __attribute__((weak)) __warplock_##variable variable;
__WARPLOCK_COORDINATES(threadIdx, tid, uint3)
__WARPLOCK_COORDINATES(blockIdx, ctaid, uint3)
__WARPLOCK_COORDINATES(blockDim, ntid, dim3)
__WARPLOCK_COORDINATES(gridDim, nctaid, dim3)
#undef __WARPLOCK_COORDINATES

// A warp has 4 or 32 lanes here, and one PTX text serves both: the width is read as WARP_SZ when
// the PTX is assembled or interpreted. clang's own builtin would be folded to 32.
__WARPLOCK_FN int __warplock_warp_size() {
  int size;
  asm("mov.u32 %0, WARP_SZ;" : "=r"(size));
  return size;
}
#define warpSize (__warplock_warp_size())

// ---- synchronisation ----

// __syncthreads() is a builtin of clang.
__WARPLOCK_FN int __syncthreads_count(int predicate) {
  return __nvvm_bar0_popc(predicate);
}
__WARPLOCK_FN int __syncthreads_and(int predicate) {
  return __nvvm_bar0_and(predicate);
}
__WARPLOCK_FN int __syncthreads_or(int predicate) {
  return __nvvm_bar0_or(predicate);
}
__WARPLOCK_FN void __syncwarp(unsigned int mask = 0xffffffffu) {
  __nvvm_bar_warp_sync(mask);
}
__WARPLOCK_FN void __threadfence_block() {
  __nvvm_membar_cta();
}
__WARPLOCK_FN void __threadfence() {
  __nvvm_membar_gl();
}
__WARPLOCK_FN void __threadfence_system() {
  __nvvm_membar_sys();
}
// A hint about time, which no executor models.
__WARPLOCK_FN void __nanosleep(unsigned int) {}
__WARPLOCK_FN void __trap() {
  __builtin_trap();
}

// ---- warp-wide functions ----

#if __has_builtin(__nvvm_activemask)
__WARPLOCK_FN unsigned int __activemask() {
  return __nvvm_activemask();
}
#else
__WARPLOCK_FN unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
  return mask;
}
#endif
__WARPLOCK_FN unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
__WARPLOCK_FN int __any_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_any_sync(mask, predicate);
}
__WARPLOCK_FN int __all_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_all_sync(mask, predicate);
}
__WARPLOCK_FN int __uni_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_uni_sync(mask, predicate);
}

// PTX ISA 9.7.9.6: bits 4:0 of the last operand clamp the source lane, bits 12:8 say which bits of
// the lane number stay inside a segment of `width` lanes. As in CUDA, `width` is 32 unless given.
#define __WARPLOCK_SHUFFLE(name, mode, amount_type, clamp)                                       \
  __WARPLOCK_FN int name(unsigned int mask, int value, amount_type amount, int width = 32) {     \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, (int)amount, ((32 - width) << 8) | clamp); \
  }                                                                                              \
  __WARPLOCK_FN unsigned int name(unsigned int mask, unsigned int value, amount_type amount,     \
                                  int width = 32) {                                              \
    return (unsigned int)name(mask, (int)value, amount, width);                                  \
  }                                                                                              \
  __WARPLOCK_FN unsigned long long name(unsigned int mask, unsigned long long value,             \
                                        amount_type amount, int width = 32) {                    \
    const unsigned int low = name(mask, (unsigned int)value, amount, width);                     \
    const unsigned int high = name(mask, (unsigned int)(value >> 32), amount, width);            \
    return ((unsigned long long)high << 32) | low;                                               \
  }                                                                                              \
  __WARPLOCK_FN long long name(unsigned int mask, long long value, amount_type amount,           \
                               int width = 32) {                                                 \
    return (long long)name(mask, (unsigned long long)value, amount, width);                      \
  }                                                                                              \
  __WARPLOCK_FN unsigned long name(unsigned int mask, unsigned long value, amount_type amount,   \
                                   int width = 32) {                                             \
    return (unsigned long)name(mask, (unsigned long long)value, amount, width);                  \
  }                                                                                              \
  __WARPLOCK_FN long name(unsigned int mask, long value, amount_type amount, int width = 32) {   \
    return (long)name(mask, (unsigned long long)value, amount, width);                           \
  }
__WARPLOCK_SHUFFLE(__shfl_sync, idx, int, 0x1f)
__WARPLOCK_SHUFFLE(__shfl_up_sync, up, unsigned int, 0)
__WARPLOCK_SHUFFLE(__shfl_down_sync, down, unsigned int, 0x1f)
__WARPLOCK_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef __WARPLOCK_SHUFFLE

#define __WARPLOCK_MATCH(type, bits, unsigned_type)                                            \
  __WARPLOCK_FN unsigned int __match_any_sync(unsigned int mask, type value) {                 \
    return __nvvm_match_any_sync_i##bits(mask, (unsigned_type)value);                          \
  }                                                                                            \
  __WARPLOCK_FN unsigned int __match_all_sync(unsigned int mask, type value, int* predicate) { \
    return __nvvm_match_all_sync_i##bits##p(mask, (unsigned_type)value, predicate);            \
  }
__WARPLOCK_MATCH(int, 32, unsigned int)
__WARPLOCK_MATCH(unsigned int, 32, unsigned int)
__WARPLOCK_MATCH(long, 64, unsigned long long)
__WARPLOCK_MATCH(unsigned long, 64, unsigned long long)
__WARPLOCK_MATCH(long long, 64, unsigned long long)
__WARPLOCK_MATCH(unsigned long long, 64, unsigned long long)
#undef __WARPLOCK_MATCH

__WARPLOCK_FN unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_add((int)value, (int)mask);
}
__WARPLOCK_FN int __reduce_add_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_add(value, (int)mask);
}
__WARPLOCK_FN unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umin(value, (int)mask);
}
__WARPLOCK_FN int __reduce_min_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_min(value, (int)mask);
}
__WARPLOCK_FN unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_umax(value, (int)mask);
}
__WARPLOCK_FN int __reduce_max_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_max(value, (int)mask);
}
__WARPLOCK_FN unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_and((int)value, (int)mask);
}
__WARPLOCK_FN unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_or((int)value, (int)mask);
}
__WARPLOCK_FN unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
  return __nvvm_redux_sync_xor((int)value, (int)mask);
}

// ---- atomics ----

// PTX has no atom.sub: subtracting is adding the negated operand, as nvcc does. The variants with a
// scope have the default scope, the GPU, which is no weaker for one launch on one GPU; clang's own
// builtins for them compare unsigned numbers as signed ones.
#define __WARPLOCK_ATOMICS(suffix)                                                    \
  __WARPLOCK_FN int atomicAdd##suffix(int* p, int v) {                                \
    return __nvvm_atom_add_gen_i(p, v);                                               \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicAdd##suffix(unsigned int* p, unsigned int v) {     \
    return __nvvm_atom_add_gen_i((int*)p, (int)v);                                    \
  }                                                                                   \
  __WARPLOCK_FN unsigned long long atomicAdd##suffix(unsigned long long* p,           \
                                                     unsigned long long v) {          \
    return __nvvm_atom_add_gen_ll((long long*)p, (long long)v);                       \
  }                                                                                   \
  __WARPLOCK_FN int atomicSub##suffix(int* p, int v) {                                \
    return __nvvm_atom_add_gen_i(p, (int)(0u - (unsigned int)v));                     \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicSub##suffix(unsigned int* p, unsigned int v) {     \
    return __nvvm_atom_add_gen_i((int*)p, (int)(0u - v));                             \
  }                                                                                   \
  __WARPLOCK_FN int atomicExch##suffix(int* p, int v) {                               \
    return __nvvm_atom_xchg_gen_i(p, v);                                              \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicExch##suffix(unsigned int* p, unsigned int v) {    \
    return __nvvm_atom_xchg_gen_i((int*)p, (int)v);                                   \
  }                                                                                   \
  __WARPLOCK_FN unsigned long long atomicExch##suffix(unsigned long long* p,          \
                                                      unsigned long long v) {         \
    return __nvvm_atom_xchg_gen_ll((long long*)p, (long long)v);                      \
  }                                                                                   \
  __WARPLOCK_FN int atomicMin##suffix(int* p, int v) {                                \
    return __nvvm_atom_min_gen_i(p, v);                                               \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicMin##suffix(unsigned int* p, unsigned int v) {     \
    return __nvvm_atom_min_gen_ui(p, v);                                              \
  }                                                                                   \
  __WARPLOCK_FN long long atomicMin##suffix(long long* p, long long v) {              \
    return __nvvm_atom_min_gen_ll(p, v);                                              \
  }                                                                                   \
  __WARPLOCK_FN unsigned long long atomicMin##suffix(unsigned long long* p,           \
                                                     unsigned long long v) {          \
    return __nvvm_atom_min_gen_ull(p, v);                                             \
  }                                                                                   \
  __WARPLOCK_FN int atomicMax##suffix(int* p, int v) {                                \
    return __nvvm_atom_max_gen_i(p, v);                                               \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicMax##suffix(unsigned int* p, unsigned int v) {     \
    return __nvvm_atom_max_gen_ui(p, v);                                              \
  }                                                                                   \
  __WARPLOCK_FN long long atomicMax##suffix(long long* p, long long v) {              \
    return __nvvm_atom_max_gen_ll(p, v);                                              \
  }                                                                                   \
  __WARPLOCK_FN unsigned long long atomicMax##suffix(unsigned long long* p,           \
                                                     unsigned long long v) {          \
    return __nvvm_atom_max_gen_ull(p, v);                                             \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicInc##suffix(unsigned int* p, unsigned int limit) { \
    return __nvvm_atom_inc_gen_ui(p, limit);                                          \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicDec##suffix(unsigned int* p, unsigned int limit) { \
    return __nvvm_atom_dec_gen_ui(p, limit);                                          \
  }                                                                                   \
  __WARPLOCK_FN int atomicCAS##suffix(int* p, int compare, int v) {                   \
    return __nvvm_atom_cas_gen_i(p, compare, v);                                      \
  }                                                                                   \
  __WARPLOCK_FN unsigned int atomicCAS##suffix(unsigned int* p, unsigned int compare, \
                                               unsigned int v) {                      \
    return __nvvm_atom_cas_gen_i((int*)p, (int)compare, (int)v);                      \
  }                                                                                   \
  __WARPLOCK_FN unsigned long long atomicCAS##suffix(                                 \
      unsigned long long* p, unsigned long long compare, unsigned long long v) {      \
    return __nvvm_atom_cas_gen_ll((long long*)p, (long long)compare, (long long)v);   \
  }                                                                                   \
  __WARPLOCK_ATOMIC_BITS(atomicAnd##suffix, and)                                      \
  __WARPLOCK_ATOMIC_BITS(atomicOr##suffix, or)                                        \
  __WARPLOCK_ATOMIC_BITS(atomicXor##suffix, xor)
#define __WARPLOCK_ATOMIC_BITS(name, operation)                                        \
  __WARPLOCK_FN int name(int* p, int v) {                                              \
    return __nvvm_atom_##operation##_gen_i(p, v);                                      \
  }                                                                                    \
  __WARPLOCK_FN unsigned int name(unsigned int* p, unsigned int v) {                   \
    return __nvvm_atom_##operation##_gen_i((int*)p, (int)v);                           \
  }                                                                                    \
  __WARPLOCK_FN unsigned long long name(unsigned long long* p, unsigned long long v) { \
    return __nvvm_atom_##operation##_gen_ll((long long*)p, (long long)v);              \
  }
__WARPLOCK_ATOMICS()
__WARPLOCK_ATOMICS(_block)
__WARPLOCK_ATOMICS(_system)
#undef __WARPLOCK_ATOMICS
#undef __WARPLOCK_ATOMIC_BITS

// ---- integer arithmetic ----

__WARPLOCK_FN int __popc(unsigned int x) {
  return __builtin_popcount(x);
}
__WARPLOCK_FN int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
__WARPLOCK_FN int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz((unsigned int)x);
}
__WARPLOCK_FN int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
__WARPLOCK_FN int __ffs(int x) {
  return __builtin_ffs(x);
}
__WARPLOCK_FN int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
__WARPLOCK_FN unsigned int __brev(unsigned int x) {
  return __builtin_bitreverse32(x);
}
__WARPLOCK_FN unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
// Three bits a selector count; the fourth, by which prmt spreads a sign, is no part of the
// function.
__WARPLOCK_FN unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return (unsigned int)__nvvm_prmt((int)x, (int)y, (int)(selector & 0x7777));
}
__WARPLOCK_FN unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  return (unsigned int)__nvvm_fns((int)mask, (int)base, offset);
}
__WARPLOCK_FN unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
__WARPLOCK_FN unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)(((unsigned long long)high << 32 | low) >> (by & 31));
}
__WARPLOCK_FN unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
__WARPLOCK_FN unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
__WARPLOCK_FN int __mulhi(int x, int y) {
  return __nvvm_mulhi_i(x, y);
}
__WARPLOCK_FN unsigned int __umulhi(unsigned int x, unsigned int y) {
  return __nvvm_mulhi_ui(x, y);
}
__WARPLOCK_FN long long __mul64hi(long long x, long long y) {
  return __nvvm_mulhi_ll(x, y);
}
__WARPLOCK_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
__WARPLOCK_FN int __mul24(int x, int y) {
  return __nvvm_mul24_i(x, y);
}
__WARPLOCK_FN unsigned int __umul24(unsigned int x, unsigned int y) {
  return __nvvm_mul24_ui(x, y);
}
__WARPLOCK_FN unsigned int __sad(int x, int y, unsigned int z) {
  return (unsigned int)__nvvm_sad_i(x, y, (int)z);
}
__WARPLOCK_FN unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return __nvvm_sad_ui(x, y, z);
}
__WARPLOCK_FN int __hadd(int x, int y) {
  return (int)(((long long)x + y) >> 1);
}
__WARPLOCK_FN int __rhadd(int x, int y) {
  return (int)(((long long)x + y + 1) >> 1);
}
__WARPLOCK_FN unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y) >> 1);
}
__WARPLOCK_FN unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

// clang has no builtin for the dot products of bytes and half-words. native_exec recognises these
// very texts (native_exec/builtins.cpp).
#define __WARPLOCK_DOT(name, instruction, type)                                  \
  __WARPLOCK_FN type name(type x, type y, type z) {                              \
    type result;                                                                 \
    asm(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(z)); \
    return result;                                                               \
  }
__WARPLOCK_DOT(__dp4a, "dp4a.s32.s32", int)
__WARPLOCK_DOT(__dp4a, "dp4a.u32.u32", unsigned int)
__WARPLOCK_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int)
__WARPLOCK_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int)
__WARPLOCK_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int)
__WARPLOCK_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int)
#undef __WARPLOCK_DOT

#define __WARPLOCK_MIN_MAX(result, type_a, type_b)        \
  __WARPLOCK_FN result min(type_a a, type_b b) {          \
    return (result)a < (result)b ? (result)a : (result)b; \
  }                                                       \
  __WARPLOCK_FN result max(type_a a, type_b b) {          \
    return (result)a > (result)b ? (result)a : (result)b; \
  }
__WARPLOCK_MIN_MAX(int, int, int)
__WARPLOCK_MIN_MAX(unsigned int, unsigned int, unsigned int)
__WARPLOCK_MIN_MAX(unsigned int, int, unsigned int)
__WARPLOCK_MIN_MAX(unsigned int, unsigned int, int)
__WARPLOCK_MIN_MAX(long, long, long)
__WARPLOCK_MIN_MAX(unsigned long, unsigned long, unsigned long)
__WARPLOCK_MIN_MAX(unsigned long, long, unsigned long)
__WARPLOCK_MIN_MAX(unsigned long, unsigned long, long)
__WARPLOCK_MIN_MAX(long long, long long, long long)
__WARPLOCK_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
__WARPLOCK_MIN_MAX(unsigned long long, long long, unsigned long long)
__WARPLOCK_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef __WARPLOCK_MIN_MAX
__WARPLOCK_FN unsigned int umin(unsigned int a, unsigned int b) {
  return min(a, b);
}
__WARPLOCK_FN unsigned int umax(unsigned int a, unsigned int b) {
  return max(a, b);
}

// Negation wraps, as abs.s32 does for the smallest value.
__WARPLOCK_FN int abs(int x) {
  return x < 0 ? (int)(0u - (unsigned int)x) : x;
}
__WARPLOCK_FN long abs(long x) {
  return x < 0 ? (long)(0ul - (unsigned long)x) : x;
}
__WARPLOCK_FN long long abs(long long x) {
  return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}
__WARPLOCK_FN long labs(long x) {
  return abs(x);
}
__WARPLOCK_FN long long llabs(long long x) {
  return abs(x);
}

// ---- memory ----

#define __WARPLOCK_LDG(type, builtin_type, builtin)            \
  __WARPLOCK_FN type __ldg(const type* p) {                    \
    return (type)__nvvm_ldg_##builtin((const builtin_type*)p); \
  }
__WARPLOCK_LDG(char, char, c)
__WARPLOCK_LDG(unsigned char, unsigned char, uc)
__WARPLOCK_LDG(short, short, s)
__WARPLOCK_LDG(unsigned short, unsigned short, us)
__WARPLOCK_LDG(int, int, i)
__WARPLOCK_LDG(unsigned int, unsigned int, ui)
__WARPLOCK_LDG(long long, long long, ll)
__WARPLOCK_LDG(unsigned long long, unsigned long long, ull)
#undef __WARPLOCK_LDG

#undef __WARPLOCK_FN
#undef __WARPLOCK_GET
