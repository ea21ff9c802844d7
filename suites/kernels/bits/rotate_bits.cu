// Rotates words left by amounts of which the low five bits count.
extern "C" __global__ void rotate_bits(const unsigned* in, const unsigned* amount, unsigned* out,
                                       unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __funnelshift_l(in[i], in[i], amount[i]);
}
