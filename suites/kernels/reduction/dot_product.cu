// The dot product of two vectors modulo 2^32: products in shared memory, summed by one thread a
// block.
extern "C" __global__ void dot_product(const unsigned* a, const unsigned* b, unsigned* out,
                                       unsigned n) {
  __shared__ unsigned product[8];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  product[threadIdx.x] = i < n ? a[i] * b[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < blockDim.x; ++k) sum += product[k];
    atomicAdd(out, sum);
  }
}
