// A sum over several blocks in one launch: each block stores its partial sum, and the one that
// finishes last adds them up.
extern "C" __global__ void last_block(const unsigned* in, volatile unsigned* partial,
                                      unsigned* finished, unsigned* total, unsigned n) {
  __shared__ unsigned sum;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    if (atomicInc(finished, gridDim.x - 1) == gridDim.x - 1) {
      __threadfence();
      unsigned all = 0;
#pragma unroll 1
      for (unsigned block = 0; block < gridDim.x; ++block) all += partial[block];
      total[0] = all;
    }
  }
}
