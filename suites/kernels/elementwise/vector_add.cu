// Adds two vectors, one element a thread.
extern "C" __global__ void vector_add(const unsigned* a, const unsigned* b, unsigned* out,
                                      unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
