// Gray codes of numbers, and numbers from Gray codes.
extern "C" __global__ void gray_code(const unsigned* in, unsigned* code, unsigned* decoded,
                                     unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  code[i] = x ^ x >> 1;
#pragma unroll 1
  for (unsigned shift = 1; shift < 32; shift *= 2) x ^= x >> shift;
  decoded[i] = x;
}
