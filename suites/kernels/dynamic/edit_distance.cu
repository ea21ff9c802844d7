// Levenshtein's distance between two strings of at most 8 characters, one diagonal of the table at
// a time.
extern "C" __global__ void edit_distance(const unsigned* a, const unsigned* b, unsigned* out,
                                         unsigned n, unsigned m) {
  __shared__ unsigned table[9][9];
  unsigned t = threadIdx.x;
  if (t <= n) table[t][0] = t;
  if (t >= 1 && t <= m) table[0][t] = t;
  __syncthreads();
#pragma unroll 1
  for (unsigned diagonal = 2; diagonal <= n + m; ++diagonal) {
    unsigned j = diagonal - t;
    if (t >= 1 && t <= n && t < diagonal && j <= m) {
      unsigned best = table[t - 1][j - 1] + (a[t - 1] != b[j - 1]);
      best = min(best, table[t - 1][j] + 1);
      table[t][j] = min(best, table[t][j - 1] + 1);
    }
    __syncthreads();
  }
  if (t == 0) out[0] = table[n][m];
}
