// Least and greatest element: first in shared memory for each block, then over all blocks.
// limits[0] and limits[1] start at the greatest and least int.
extern "C" __global__ void min_max_atomic(const int* in, int* limits, unsigned n) {
  __shared__ int low;
  __shared__ int high;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    low = 0x7fffffff;
    high = -0x7fffffff - 1;
  }
  __syncthreads();
  if (i < n) {
    atomicMin(&low, in[i]);
    atomicMax(&high, in[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMin(&limits[0], low);
    atomicMax(&limits[1], high);
  }
}
