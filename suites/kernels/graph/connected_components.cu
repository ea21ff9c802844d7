// Connected components by label propagation: every vertex ends with the least number in its
// component. Bit u of neighbours[v] is the edge between u and v.
extern "C" __global__ void connected_components(const unsigned* neighbours, unsigned* label,
                                                unsigned n) {
  __shared__ unsigned current[16];
  unsigned v = threadIdx.x;
  unsigned edges = v < n ? neighbours[v] : 0;
  unsigned mine = v;
  bool changed;
  do {
    current[v] = mine;
    __syncthreads();
    unsigned least = mine;
#pragma unroll 1
    for (unsigned rest = edges; rest != 0; rest &= rest - 1) {
      least = min(least, current[__ffs(rest) - 1]);
    }
    changed = least < mine;
    mine = least;
  } while (__syncthreads_or(changed));
  if (v < n) label[v] = mine;
}
