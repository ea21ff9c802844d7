// For every lane, the mask of the lanes of its warp that hold the same number.
extern "C" __global__ void match_groups(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  out[threadIdx.x] = __match_any_sync(mask, in[threadIdx.x]);
}
