// A histogram of bytes: every block counts in shared memory, then adds to the bins.
extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, unsigned n) {
  __shared__ unsigned local[256];
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i]], 1);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }
}
