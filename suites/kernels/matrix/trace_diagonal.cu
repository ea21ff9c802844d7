// The sum of a square matrix's diagonal.
extern "C" __global__ void trace_diagonal(const unsigned* matrix, unsigned* out, unsigned n) {
  unsigned i = threadIdx.x;
  if (i < n) atomicAdd(out, matrix[i * (n + 1)]);
}
