// The 0/1 knapsack: for every capacity that the block has threads for, the best value.
extern "C" __global__ void knapsack(const unsigned* weight, const unsigned* value, unsigned* best,
                                    unsigned items) {
  __shared__ unsigned table[16];
  unsigned capacity = threadIdx.x;
  unsigned mine = 0;
#pragma unroll 1
  for (unsigned item = 0; item < items; ++item) {
    table[capacity] = mine;
    __syncthreads();
    unsigned w = weight[item];
    if (w <= capacity) mine = max(mine, table[capacity - w] + value[item]);
    __syncthreads();
  }
  best[capacity] = mine;
}
