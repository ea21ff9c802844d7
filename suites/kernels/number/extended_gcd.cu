// Greatest common divisors with Bezout's coefficients: a * x + b * y = gcd.
extern "C" __global__ void extended_gcd(const int* a, const int* b, int* gcd, int* x, int* y,
                                        unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r0 = a[i], r1 = b[i];
  int x0 = 1, x1 = 0;
  int y0 = 0, y1 = 1;
  while (r1 != 0) {
    int quotient = r0 / r1;
    int next = r0 - quotient * r1;
    r0 = r1;
    r1 = next;
    next = x0 - quotient * x1;
    x0 = x1;
    x1 = next;
    next = y0 - quotient * y1;
    y0 = y1;
    y1 = next;
  }
  gcd[i] = r0;
  x[i] = x0;
  y[i] = y0;
}
