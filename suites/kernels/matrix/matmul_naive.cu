// The product of two square matrices, one element of the result a thread.
extern "C" __global__ void matmul_naive(const unsigned* a, const unsigned* b, unsigned* out,
                                        unsigned n) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  out[row * n + column] = sum;
}
