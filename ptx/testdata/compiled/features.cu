// What the compilers' PTX of this file shows: calls with parameters in .param space, structures by
// value, jump tables, local arrays, initialised variables with addresses, inlined functions, shared
// memory, atomics and shuffles. features.clang.ptx and features.nvrtc.ptx are its translations.
#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define BARRIER __syncthreads()
#define ADD(p, v) __nvvm_atom_add_gen_i(p, v)
#define SHUFFLE(v) __nvvm_shfl_sync_bfly_i32(-1, v, 1, 31)
#define BALLOT(c) __nvvm_vote_ballot_sync(-1, c)
#else
#define THREAD threadIdx.x
#define BARRIER __syncthreads()
#define ADD(p, v) atomicAdd(p, v)
#define SHUFFLE(v) __shfl_xor_sync(-1, v, 1)
#define BALLOT(c) __ballot_sync(-1, c)
#endif

struct Packet {
  int a;
  short b;
  char c[5];
};

__device__ __noinline__ long long product(int a, long long b, short c) { return a * b + c; }
__device__ __noinline__ Packet step(Packet p) {
  p.a += p.b;
  p.c[2] = static_cast<char>(p.a);
  return p;
}
__device__ inline unsigned mix(unsigned x) { return (x << 13 | x >> 19) * 5 + 1; }

__device__ int table[4] = {1, -2, 3};
__device__ int* pointer = &table[2];
__constant__ short weights[3] = {-1, 2};
__device__ unsigned char matrix[2][3] = {{1}, {2, 3}};
__shared__ int tile[32];

extern "C" __global__ void features(int* out, const int* in, int n, Packet p, char c, bool b,
                                    unsigned long long wide) {
  int t = THREAD;
  tile[t] = in[t];
  BARRIER;
  int local[8];
  for (int i = 0; i < 8; ++i) local[i] = in[i] * n;
  Packet q = step(p);
  switch (n) {
    case 0: out[0] = 1; break;
    case 1: out[0] = in[3]; break;
    case 2: out[1] = 5; break;
    case 3: out[2] = 9; break;
    case 4: out[3] = in[2] % n; break;
    case 5: out[6] = in[1] / 3; break;
    case 6: out[7] = static_cast<int>(wide / 7); break;
    default: break;
  }
  unsigned mixed = mix(mix(n));
  ADD(out + 3, 4);
  int swapped = SHUFFLE(t);
  unsigned voted = BALLOT(t < n);
  out[t] = static_cast<int>(product(tile[31 - t], local[n & 7], weights[n & 1])) + table[n & 3] + *pointer +
           q.a + q.c[n & 3] + (b ? c : 2) + swapped + static_cast<int>(mixed ^ voted) + matrix[1][n & 1];
}
