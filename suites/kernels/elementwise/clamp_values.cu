// Limits every element to the range from low to high.
extern "C" __global__ void clamp_values(const int* in, int* out, int low, int high, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = min(max(in[i], low), high);
}
