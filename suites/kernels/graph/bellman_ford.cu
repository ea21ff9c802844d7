// Shortest distances from a source over a list of edges, by n - 1 rounds of relaxing all of them.
// Distances of 2^28 mean that there is no path.
extern "C" __global__ void bellman_ford(const unsigned* from, const unsigned* to, const int* weight,
                                        int* distance, unsigned source, unsigned n,
                                        unsigned edges) {
  __shared__ int next[8];
  unsigned t = threadIdx.x;
  if (t < n) next[t] = t == source ? 0 : 1 << 28;
  __syncthreads();
#pragma unroll 1
  for (unsigned round = 1; round < n; ++round) {
    int start = t < edges ? next[from[t]] : 1 << 28;
    __syncthreads();
    if (start < 1 << 28) atomicMin(&next[to[t]], start + weight[t]);
    __syncthreads();
  }
  if (t < n) distance[t] = next[t];
}
