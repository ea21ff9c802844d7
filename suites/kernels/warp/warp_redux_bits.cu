// Three reductions of each warp by single instructions: and, or, exclusive or.
extern "C" __global__ void warp_redux_bits(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned value = in[threadIdx.x];
  unsigned conjunction = __reduce_and_sync(mask, value);
  unsigned disjunction = __reduce_or_sync(mask, value);
  unsigned exclusive = __reduce_xor_sync(mask, value);
  if ((threadIdx.x & (warpSize - 1)) == 0) {
    unsigned* mine = out + 3 * (threadIdx.x >> (__ffs(warpSize) - 1));
    mine[0] = conjunction;
    mine[1] = disjunction;
    mine[2] = exclusive;
  }
}
