// How many of each block's elements lie in [low, high], whether all do, and whether any is
// negative, by the three barriers that reduce.
extern "C" __global__ void count_in_range(const int* in, unsigned* count, unsigned* all,
                                          unsigned* negative, int low, int high, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : low;
  int inside = value >= low && value <= high;
  int counted = __syncthreads_count(i < n && inside);
  int every = __syncthreads_and(inside);
  int below = __syncthreads_or(i < n && value < 0);
  if (threadIdx.x == 0) {
    count[blockIdx.x] = counted;
    all[blockIdx.x] = every != 0;
    negative[blockIdx.x] = below != 0;
  }
}
