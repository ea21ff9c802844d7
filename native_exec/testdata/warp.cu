// Warp-wide functions; every thread gives and gets: out[k * n + i].
#define PUT(value) out[k++ * n + i] = (unsigned)(value)

extern "C" __global__ void shuffles(const unsigned* in, unsigned* out, int width) {
  const unsigned i = threadIdx.x, n = blockDim.x, x = in[i], all = 0xffffffffu;
  const unsigned long long wide = ((unsigned long long)~x << 32) | x;
  unsigned k = 0;
  PUT(__shfl_sync(all, x, (int)(x & 31), width));
  PUT(__shfl_up_sync(all, x, 1, width));
  PUT(__shfl_up_sync(all, (int)x, 2, width));
  PUT(__shfl_down_sync(all, x, 1, width));
  PUT(__shfl_down_sync(all, x, x & 3, width));
  PUT(__shfl_xor_sync(all, x, 1, width));
  PUT(__shfl_xor_sync(all, x, 2, width));
  PUT(__shfl_sync(all, wide, 1, width) >> 16);
}

extern "C" __global__ void votes(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x, n = blockDim.x, x = in[i];
  unsigned k = 0;
  PUT(__ballot_sync(0xffffffffu, x & 1));
  PUT(__any_sync(0xffffffffu, (x & 31) == 7));
  PUT(__all_sync(0xffffffffu, x != 0));
  PUT(__uni_sync(0xffffffffu, x > 1000));
  int same = 5;
  PUT(__match_any_sync(0xffffffffu, x & 1));
  PUT(__match_any_sync(0xffffffffu, (unsigned long long)(x & 3) << 40));
  PUT(__match_all_sync(0xffffffffu, x & 1, &same));
  PUT(same);
  PUT(__match_all_sync(0xffffffffu, i / warpSize, &same));
  PUT(same);
  PUT(__activemask());
  unsigned mask = 0;
  if (x & 1) mask = __activemask();
  __syncwarp();
  PUT(mask);
}

extern "C" __global__ void reductions(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x, n = blockDim.x, x = in[i], all = 0xffffffffu;
  unsigned k = 0;
  PUT(__reduce_add_sync(all, x));
  PUT(__reduce_min_sync(all, x));
  PUT(__reduce_max_sync(all, x));
  PUT(__reduce_min_sync(all, (int)x));
  PUT(__reduce_max_sync(all, (int)x));
  PUT(__reduce_and_sync(all, x));
  PUT(__reduce_or_sync(all, x));
  PUT(__reduce_xor_sync(all, x));
}

// Odd lanes and even lanes go apart and meet in their own groups.
extern "C" __global__ void groups(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x, lane = i % warpSize;
  const unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  if (lane & 1) {
    out[i] = __reduce_add_sync(odd, in[i]);
  } else {
    unsigned sum = 0;
    for (int other = 0; other < warpSize; other += 2) {
      if ((~odd >> other) & 1) sum = sum * 3 + __shfl_sync(~odd, in[i], other);
    }
    out[i] = sum;
  }
}
