// The elementary automaton 110 on rings of 32 cells, one ring a thread and one cell a bit.
extern "C" __global__ void rule_110(unsigned* rings, unsigned steps, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned cells = rings[i];
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    unsigned left = __funnelshift_r(cells, cells, 1);
    unsigned right = __funnelshift_l(cells, cells, 1);
    cells = (cells | right) & ~(left & cells & right);
  }
  rings[i] = cells;
}
