// Threads leave one after the other: past the end, at zero, at negative numbers, after 20 halvings.
extern "C" __global__ void early_exit(const int* in, int* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i];
  out[i] = 1;
  if (x == 0) return;
  out[i] = 2;
  if (x < 0) {
    out[i] = -(x >> 1);
    return;
  }
  int halvings = 0;
#pragma unroll 1
  while (x > 1) {
    x >>= 1;
    ++halvings;
    if (halvings == 20) return;
  }
  out[i] = halvings + 3;
}
