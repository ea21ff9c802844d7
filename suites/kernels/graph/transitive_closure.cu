// Which vertices can be reached from which, by Warshall's algorithm on rows of bits: bit j of
// reach[i] is the edge, and then the path, from i to j.
extern "C" __global__ void transitive_closure(unsigned* reach, unsigned n) {
  __shared__ unsigned pivot;
  unsigned i = threadIdx.x;
  unsigned mine = i < n ? reach[i] : 0;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
    if (i == k) pivot = mine;
    __syncthreads();
    if (mine >> k & 1) mine |= pivot;
    __syncthreads();
  }
  if (i < n) reach[i] = mine;
}
