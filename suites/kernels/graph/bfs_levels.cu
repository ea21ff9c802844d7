// Breadth-first search on up to 16 vertices: bit u of incoming[v] is the edge from u to v. The
// level of a vertex that cannot be reached is -1.
extern "C" __global__ void bfs_levels(const unsigned* incoming, int* level, unsigned source,
                                      unsigned n) {
  __shared__ unsigned frontier[2];
  unsigned v = threadIdx.x;
  unsigned edges = v < n ? incoming[v] : 0;
  int mine = v == source ? 0 : -1;
  if (v < 2) frontier[v] = v == 0 ? 1u << source : 0;
  __syncthreads();
  unsigned now = 0;
#pragma unroll 1
  for (int depth = 1; frontier[now] != 0; ++depth) {
    if (mine < 0 && (edges & frontier[now]) != 0) {
      mine = depth;
      atomicOr(&frontier[1 - now], 1u << v);
    }
    __syncthreads();
    if (v == 0) frontier[now] = 0;
    now = 1 - now;
    __syncthreads();
  }
  if (v < n) level[v] = mine;
}
