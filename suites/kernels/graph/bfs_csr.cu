// Breadth-first search on a graph in compressed rows, one vertex a thread. The level of a vertex
// that cannot be reached is 0xffffffff.
extern "C" __global__ void bfs_csr(const unsigned* row, const unsigned* column, unsigned* level,
                                   unsigned source, unsigned n) {
  __shared__ unsigned reached[64];
  unsigned v = threadIdx.x;
  reached[v] = v == source ? 0 : 0xffffffffu;
  __syncthreads();
  unsigned depth = 0;
  bool active;
  do {
    active = v < n && reached[v] == depth;
    __syncthreads();
    ++depth;
    if (active) {
      for (unsigned edge = row[v]; edge < row[v + 1]; ++edge) {
        atomicMin(&reached[column[edge]], depth);
      }
    }
  } while (__syncthreads_or(active));
  if (v < n) level[v] = reached[v];
}
