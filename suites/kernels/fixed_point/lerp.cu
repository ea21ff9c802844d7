// Interpolates between a and b, of 16 bits each, with a weight of 8 fractional bits, rounded.
extern "C" __global__ void lerp(const int* a, const int* b, int* out, int weight, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + (((b[i] - a[i]) * weight + 128) >> 8);
}
