// Branches in branches: every bit of the number sends the thread another way.
extern "C" __global__ void nested_divergence(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned path = 1;
  if (x & 1) {
    if (x & 2) {
      path = x * 3;
      if (x & 4) path += out[i];
    } else {
      path = x ^ out[i];
    }
  } else {
    if (x & 8) {
      out[i] = 5;
      path = x >> 4;
    } else if (x & 16) {
      path = out[i] - x;
    }
    path += 100;
  }
  out[i] = out[i] + path;
}
