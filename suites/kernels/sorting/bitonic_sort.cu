// Sorts up to 16 numbers with Batcher's bitonic network in shared memory.
extern "C" __global__ void bitonic_sort(int* data, unsigned n) {
  __shared__ int key[16];
  unsigned t = threadIdx.x;
  key[t] = t < n ? data[t] : 0x7fffffff;
  __syncthreads();
#pragma unroll 1
  for (unsigned size = 2; size <= blockDim.x; size *= 2) {
#pragma unroll 1
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      unsigned partner = t ^ distance;
      if (partner > t) {
        int mine = key[t];
        int other = key[partner];
        bool ascending = (t & size) == 0;
        if ((mine > other) == ascending) {
          key[t] = other;
          key[partner] = mine;
        }
      }
      __syncthreads();
    }
  }
  if (t < n) data[t] = key[t];
}
