// Inclusive prefix sums that start anew at every element whose head flag is set.
extern "C" __global__ void segmented_scan(const unsigned* in, const unsigned* head, unsigned* out,
                                          unsigned n) {
  __shared__ unsigned sum[16];
  __shared__ unsigned closed[16];
  unsigned t = threadIdx.x;
  sum[t] = t < n ? in[t] : 0;
  closed[t] = t >= n || head[t] != 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    unsigned before = 0;
    unsigned stop = 1;
    if (t >= offset && closed[t] == 0) {
      before = sum[t - offset];
      stop = closed[t - offset];
    }
    __syncthreads();
    sum[t] += before;
    closed[t] |= stop & (t >= offset);
    __syncthreads();
  }
  if (t < n) out[t] = sum[t];
}
