// Sums of four neighbouring lanes, known to all four, with shuffles four lanes wide.
extern "C" __global__ void quad_sum(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned sum = in[threadIdx.x];
  sum += __shfl_xor_sync(mask, sum, 1, 4);
  sum += __shfl_xor_sync(mask, sum, 2, 4);
  out[threadIdx.x] = sum;
}
