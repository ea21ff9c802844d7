// The sum of all elements: each warp folds its values with shuffles, its first lane adds to the
// total.
extern "C" __global__ void sum_shuffle(const unsigned* in, unsigned* total, unsigned n) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned value = threadIdx.x < n ? in[threadIdx.x] : 0;
#pragma unroll 1
  for (int delta = warpSize / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(mask, value, delta, warpSize);
  }
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(total, value);
}
