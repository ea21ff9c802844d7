// Square roots of numbers with 8 fractional bits, below 2^16, by Heron's iteration from above.
extern "C" __global__ void fixed_sqrt(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i] << 8;
  if (x == 0) {
    out[i] = 0;
    return;
  }
  unsigned next = 1u << (33 - __clz(x)) / 2;
  unsigned root;
  do {
    root = next;
    next = (root + x / root) / 2;
  } while (next < root);
  out[i] = root;
}
