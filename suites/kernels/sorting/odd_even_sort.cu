// Sorts in place by odd-even transposition: n rounds of comparing neighbours.
extern "C" __global__ void odd_even_sort(int* data, unsigned n) {
#pragma unroll 1
  for (unsigned round = 0; round < n; ++round) {
    unsigned i = 2 * threadIdx.x + (round & 1);
    if (i + 1 < n) {
      int left = data[i];
      int right = data[i + 1];
      if (left > right) {
        data[i] = right;
        data[i + 1] = left;
      }
    }
    __syncthreads();
  }
}
