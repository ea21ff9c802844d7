// Three reductions of each warp by single instructions: sum, least (signed), greatest (unsigned).
extern "C" __global__ void warp_redux(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned value = in[threadIdx.x];
  unsigned sum = __reduce_add_sync(mask, value);
  int least = __reduce_min_sync(mask, (int)value);
  unsigned greatest = __reduce_max_sync(mask, value);
  if ((threadIdx.x & (warpSize - 1)) == 0) {
    unsigned* mine = out + 3 * (threadIdx.x >> (__ffs(warpSize) - 1));
    mine[0] = sum;
    mine[1] = least;
    mine[2] = greatest;
  }
}
