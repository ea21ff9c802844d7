// Products of signed numbers with 16 fractional bits, rounded down and saturated.
extern "C" __global__ void q16_multiply(const int* a, const int* b, int* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int high = __mulhi(a[i], b[i]);
  unsigned low = (unsigned)a[i] * (unsigned)b[i];
  int product = __funnelshift_r(low, high, 16);
  if (high > 0x7fff) product = 0x7fffffff;
  if (high < -0x8000) product = -0x7fffffff - 1;
  out[i] = product;
}
