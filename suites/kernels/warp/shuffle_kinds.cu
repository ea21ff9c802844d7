// The four shuffles: from the lane above, the lane below, the partner across, and a computed lane.
extern "C" __global__ void shuffle_kinds(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned t = threadIdx.x;
  unsigned lane = t & (warpSize - 1);
  unsigned value = in[t];
  unsigned result = __shfl_down_sync(mask, value, 1, warpSize);
  result = result * 3 + __shfl_up_sync(mask, value, 2, warpSize);
  result = result * 5 + __shfl_xor_sync(mask, value, 1, warpSize);
  result = result * 7 + __shfl_sync(mask, value, (3 * lane + 1) & (warpSize - 1), warpSize);
  out[t] = result;
}
