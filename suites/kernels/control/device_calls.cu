// Device functions that call each other and return early; the outer one is called from two places.
__device__ __noinline__ unsigned step(unsigned x) {
  if ((x & 1) == 0) return x / 2;
  return 3 * x + 1;
}

__device__ __noinline__ unsigned steps_below(unsigned x, unsigned limit) {
  unsigned count = 0;
  while (x > 1 && x < limit) {
    x = step(x);
    ++count;
  }
  return x == 1 ? count : count + 1000;
}

extern "C" __global__ void device_calls(const unsigned* in, unsigned* out, unsigned limit,
                                        unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned total = steps_below(x, limit);
  if (total >= 1000) total -= steps_below(x + 1, limit);
  out[i] = total;
}
