// Takes each element from a where the condition is not zero, from b where it is.
extern "C" __global__ void select_where(const int* condition, const int* a, const int* b, int* out,
                                        unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = condition[i] != 0 ? a[i] : b[i];
}
