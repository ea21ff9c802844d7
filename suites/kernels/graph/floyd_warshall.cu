// Shortest paths between all pairs of up to 5 vertices, in place, one pair a thread. Distances of
// 2^28 and more mean that there is no path.
extern "C" __global__ void floyd_warshall(int* distance, unsigned n) {
  unsigned i = threadIdx.y;
  unsigned j = threadIdx.x;
  bool inside = i < n && j < n;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    int through = inside ? distance[i * n + k] + distance[k * n + j] : 0;
    __syncthreads();
    if (inside && through < distance[i * n + j]) distance[i * n + j] = through;
    __syncthreads();
  }
}
