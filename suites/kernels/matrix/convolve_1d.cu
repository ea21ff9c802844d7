// Convolution with five weights from constant memory; elements outside count as zero.
__constant__ int weights[5] = {1, -3, 7, -3, 2};

extern "C" __global__ void convolve_1d(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < 5; ++k) {
    unsigned from = i + 2 - k;
    if (from < n) sum += weights[k] * in[from];
  }
  out[i] = sum;
}
