// Adds all elements to one total that stops at a limit: an atomic made from compare-and-swap.
extern "C" __global__ void cas_saturating_add(const unsigned* in, unsigned* total, unsigned limit,
                                              unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned mine = in[i];
  unsigned seen = 0;
  unsigned expected;
  do {
    expected = seen;
    unsigned room = limit - expected;
    seen = atomicCAS(total, expected, mine < room ? expected + mine : limit);
  } while (seen != expected);
}
