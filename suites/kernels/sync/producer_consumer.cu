// The first half of the block hands numbers to the second half through slots with full flags,
// several rounds; producers and consumers are in different warps at either width.
extern "C" __global__ void producer_consumer(const unsigned* in, unsigned* out, unsigned rounds) {
  __shared__ volatile unsigned slot[32];
  __shared__ volatile unsigned full[32];
  unsigned pair = threadIdx.x & 31;
  bool producer = threadIdx.x < 32;
  if (producer) full[pair] = 0;
  __syncthreads();
  if (producer) {
    for (unsigned round = 0; round < rounds; ++round) {
      while (full[pair] != 0) {
      }
      __threadfence_block();
      slot[pair] = in[pair] * (round + 1);
      __threadfence_block();
      full[pair] = 1;
    }
  } else {
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      while (full[pair] == 0) {
      }
      __threadfence_block();
      sum = 31 * sum + slot[pair];
      __threadfence_block();
      full[pair] = 0;
    }
    out[pair] = sum;
  }
}
