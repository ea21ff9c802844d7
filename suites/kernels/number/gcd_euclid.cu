// Greatest common divisors by Euclid's algorithm; gcd(0, 0) = 0.
extern "C" __global__ void gcd_euclid(const unsigned* a, const unsigned* b, unsigned* out,
                                      unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  while (y != 0) {
    unsigned remainder = x % y;
    x = y;
    y = remainder;
  }
  out[i] = x;
}
