// The sum of many elements: a grid-stride loop, then shuffles in each warp, then one warp over the
// warps' sums.
extern "C" __global__ void sum_two_level(const unsigned* in, unsigned* total, unsigned n) {
  __shared__ unsigned warp_sum[64];
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned lane = threadIdx.x & (warpSize - 1);
  unsigned warp = threadIdx.x / warpSize;
  unsigned warps = blockDim.x / warpSize;

  unsigned value = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    value += in[i];
  }
  for (int delta = warpSize / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(mask, value, delta, warpSize);
  }
  if (lane == 0) warp_sum[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = 0;
    for (unsigned w = lane; w < warps; w += warpSize) value += warp_sum[w];
    for (int delta = warpSize / 2; delta > 0; delta /= 2) {
      value += __shfl_down_sync(mask, value, delta, warpSize);
    }
    if (lane == 0) atomicAdd(total, value);
  }
}
