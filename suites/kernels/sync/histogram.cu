// A histogram of the low three bits: counted in shared memory for each block, then added up.
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, unsigned n) {
  __shared__ unsigned local[8];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  local[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&local[in[i] & 7], 1);
  __syncthreads();
  if (local[t] != 0) atomicAdd(&bins[t], local[t]);
}
