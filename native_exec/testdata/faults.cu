__device__ int table[4];

extern "C" __global__ void beyond(unsigned* out, int index) {
  out[index] = 1;  // line 4
}
extern "C" __global__ void beyond_load(const unsigned* in, unsigned* out, int index) {
  out[0] = in[index];  // line 7
}
extern "C" __global__ void beyond_shared(unsigned* out, int index) {
  __shared__ unsigned buffer[8];
  buffer[index] = 3;  // line 11
  __syncthreads();
  out[0] = buffer[index & 7];
}
extern "C" __global__ void beyond_variable(unsigned* out, int index) {
  table[index] = 3;  // line 16
  out[0] = table[0];
}
extern "C" __global__ void beyond_local(unsigned* out, int index) {
  volatile int local[8];
  for (int i = 0; i < 8; ++i) local[i] = i;
  local[index] = 5;  // line 22
  out[0] = local[3];
}
extern "C" __global__ void null_pointer(unsigned long long p) {
  *(int*)p = 3;  // line 26
}
extern "C" __global__ void misaligned(unsigned char* out) {
  *(unsigned*)(out + 2) = 3;  // line 29
}
extern "C" __global__ void beyond_atomic(unsigned* out, int index) {
  atomicAdd(out + index, 1u);  // line 32
}
extern "C" __global__ void endless(volatile unsigned* out) {
  while (out[0] == 0) {  // line 35
  }
}
extern "C" __global__ void endless_counting(unsigned* out) {
  unsigned i = 1;
  while (i != 0) *(volatile unsigned*)out = i = i * 3 + 2;  // line 40: i stays odd
  out[0] = i;
}
__device__ __noinline__ unsigned deeper(unsigned* p, unsigned n) {
  unsigned local[64];
  for (int i = 0; i < 64; ++i) local[i] = p[n & 3] + i;
  return p[0] != 0 ? n : deeper(p, n + 1) + local[n & 63] * n;  // line 46
}
extern "C" __global__ void bottomless(unsigned* out) { out[0] = deeper(out, 1); }

extern "C" __global__ void barrier_alone(unsigned* out) {
  if (threadIdx.x == 0) {
    while (__ballot_sync(1u, out[0] == 0) == 1) {
      __syncthreads();  // line 53
      break;
    }
  } else {
    __syncwarp(0xfu);  // line 57: lane 0 never comes
  }
}
extern "C" __global__ void wrong_masks(unsigned* out) {
  const unsigned mask = threadIdx.x == 0 ? 0x3u : 0x7u;
  out[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 0);  // line 62
}
extern "C" __global__ void not_in_mask(unsigned* out) {
  out[threadIdx.x] = __ballot_sync(0x2u, 1);  // line 65
}
extern "C" __global__ void different_operations(unsigned* out) {
  if (threadIdx.x == 0) {
    out[0] = __ballot_sync(0x3u, 1);
  } else if (threadIdx.x == 1) {
    out[1] = __reduce_add_sync(0x3u, 1u);
  }
}
extern "C" __global__ void traps(unsigned* out) {
  if (out[0] == 0) __trap();  // line 75
  out[0] = 5;
}
extern "C" __global__ void assembly(unsigned* out) {
  unsigned x;
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));  // line 80
  out[0] = x;
}
