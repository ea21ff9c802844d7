// y = alpha * x + y modulo 2^32, with a grid-stride loop.
extern "C" __global__ void saxpy_int(unsigned alpha, const unsigned* x, unsigned* y, unsigned n) {
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = alpha * x[i] + y[i];
  }
}
