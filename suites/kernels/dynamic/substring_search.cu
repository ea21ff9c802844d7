// Marks every place where a pattern stands in a text; the empty pattern stands everywhere.
extern "C" __global__ void substring_search(const unsigned* text, const unsigned* pattern,
                                            unsigned* found, unsigned n, unsigned m) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = 0;
  if (i + m <= n) {
    while (k < m && text[i + k] == pattern[k]) ++k;
  }
  found[i] = i + m <= n && k == m;
}
