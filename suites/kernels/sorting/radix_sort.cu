// Sorts stably by the low `bits` bits, one bit a pass: a prefix sum of the bits gives every number
// its place. Dynamic shared memory holds the numbers and the prefix sums.
extern "C" __global__ void radix_sort(unsigned* data, unsigned bits, unsigned n) {
  extern __shared__ unsigned shared[];
  unsigned* key = shared;
  unsigned* ones = shared + blockDim.x;
  unsigned t = threadIdx.x;
  unsigned mine = t < n ? data[t] : 0xffffffffu;
  for (unsigned bit = 0; bit < bits; ++bit) {
    unsigned one = mine >> bit & 1;
    ones[t] = one;
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
      unsigned before = t >= offset ? ones[t - offset] : 0;
      __syncthreads();
      ones[t] += before;
      __syncthreads();
    }
    unsigned zeros = blockDim.x - ones[blockDim.x - 1];
    unsigned place = one ? zeros + ones[t] - 1 : t - ones[t];
    key[place] = mine;
    __syncthreads();
    mine = key[t];
  }
  if (t < n) data[t] = mine;
}
