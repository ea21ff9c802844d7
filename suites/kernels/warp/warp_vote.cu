// Whether any and whether all lanes of the warp hold a number above a threshold, by votes.
extern "C" __global__ void warp_vote(const int* in, unsigned* out, int threshold) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  int above = in[threadIdx.x] > threshold;
  unsigned any = __any_sync(mask, above) != 0;
  unsigned all = __all_sync(mask, above) != 0;
  out[threadIdx.x] = any | all << 1;
}
