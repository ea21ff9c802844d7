// Inclusive prefix sums of one block, by Hillis and Steele's doubling between two buffers.
extern "C" __global__ void scan_hillis_steele(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned buffer[2][16];
  unsigned t = threadIdx.x;
  unsigned from = 0;
  buffer[0][t] = t < n ? in[t] : 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    unsigned sum = buffer[from][t];
    if (t >= offset) sum += buffer[from][t - offset];
    from = 1 - from;
    buffer[from][t] = sum;
    __syncthreads();
  }
  if (t < n) out[t] = buffer[from][t];
}
