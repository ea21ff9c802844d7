// For each wanted number, the first place in a sorted array whose element is not less.
extern "C" __global__ void binary_search(const int* sorted, const int* wanted, unsigned* out,
                                         unsigned n, unsigned m) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned low = 0;
  unsigned high = n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (sorted[middle] < wanted[i]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = low;
}
