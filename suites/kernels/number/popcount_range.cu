// How many one bits the `count` numbers from `first` on have together.
extern "C" __global__ void popcount_range(unsigned* total, unsigned first, unsigned count) {
  unsigned ones = 0;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    ones += __popc(first + i);
  }
  atomicAdd(total, ones);
}
