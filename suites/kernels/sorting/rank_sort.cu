// Sorts by counting, for each element, those that come before it; equal ones keep their order.
extern "C" __global__ void rank_sort(const int* in, int* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int mine = in[i];
  unsigned rank = 0;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    int other = in[k];
    if (other < mine || (other == mine && k < i)) ++rank;
  }
  out[rank] = mine;
}
