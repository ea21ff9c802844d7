// Integer square roots, a bit at a time, without multiplication or division.
extern "C" __global__ void isqrt(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rest = in[i];
  unsigned root = 0;
#pragma unroll 1
  for (unsigned bit = 1u << 30; bit != 0; bit >>= 2) {
    unsigned trial = root + bit;
    root >>= 1;
    if (rest >= trial) {
      rest -= trial;
      root += bit;
    }
  }
  out[i] = root;
}
