// Turns little-endian words into big-endian ones.
extern "C" __global__ void byte_swap(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __byte_perm(in[i], 0, 0x0123);
}
