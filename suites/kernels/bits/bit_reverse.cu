// Reverses the bits of every word, and counts the zeros above and below them in one word.
extern "C" __global__ void bit_reverse(const unsigned* in, unsigned* reversed, unsigned* zeros,
                                       unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  reversed[i] = __brev(x);
  zeros[i] = __clz(x) << 8 | (x == 0 ? 32 : __ffs(x) - 1);
}
