// Whether a word has an odd number of one bits, by folding it onto four bits and a table in a
// number.
extern "C" __global__ void parity(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  out[i] = 0x6996u >> (x & 15) & 1;
}
