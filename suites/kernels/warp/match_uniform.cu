// Which warps hold the same number in all lanes: the mask of the warp, or 0.
extern "C" __global__ void match_uniform(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  int same;
  unsigned lanes = __match_all_sync(mask, in[threadIdx.x], &same);
  out[threadIdx.x] = same ? lanes : 0;
}
