// Marsaglia's 32-bit xorshift generator: each state after some steps.
extern "C" __global__ void xorshift(unsigned* state, unsigned steps, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = state[i];
#pragma unroll 1
  for (unsigned k = 0; k < steps; ++k) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  state[i] = x;
}
