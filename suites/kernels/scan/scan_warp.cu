// Inclusive prefix sums of each warp by shuffles from lower lanes.
extern "C" __global__ void scan_warp(const unsigned* in, unsigned* out, unsigned n) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  int lane = threadIdx.x & (warpSize - 1);
  unsigned sum = threadIdx.x < n ? in[threadIdx.x] : 0;
#pragma unroll 1
  for (int delta = 1; delta < warpSize; delta *= 2) {
    unsigned below = __shfl_up_sync(mask, sum, delta, warpSize);
    if (lane >= delta) sum += below;
  }
  if (threadIdx.x < n) out[threadIdx.x] = sum;
}
