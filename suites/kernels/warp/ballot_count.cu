// For every lane, how many lower lanes of its warp hold odd numbers; and how many odd ones there
// are.
extern "C" __global__ void ballot_count(const unsigned* in, unsigned* below, unsigned* odd) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned t = threadIdx.x;
  unsigned lane = t & (warpSize - 1);
  unsigned votes = __ballot_sync(mask, in[t] & 1);
  below[t] = __popc(votes & ((1u << lane) - 1));
  if (lane == 0) atomicAdd(odd, __popc(votes));
}
