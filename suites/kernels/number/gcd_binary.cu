// Greatest common divisors without division, by Stein's algorithm.
extern "C" __global__ void gcd_binary(const unsigned* a, const unsigned* b, unsigned* out,
                                      unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  if (x == 0 || y == 0) {
    out[i] = x | y;
    return;
  }
  unsigned twos = __ffs(x | y) - 1;
  x >>= __ffs(x) - 1;
  do {
    y >>= __ffs(y) - 1;
    unsigned smaller = min(x, y);
    y = max(x, y) - smaller;
    x = smaller;
  } while (y != 0);
  out[i] = x << twos;
}
