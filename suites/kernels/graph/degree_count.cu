// In and out degrees of the vertices of a list of edges.
extern "C" __global__ void degree_count(const unsigned* from, const unsigned* to,
                                        unsigned* in_degree, unsigned* out_degree, unsigned edges) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  atomicAdd(&out_degree[from[i]], 1);
  atomicAdd(&in_degree[to[i]], 1);
}
