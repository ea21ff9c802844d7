// Keeps the positive elements, in their order, and counts them: a prefix sum of flags gives the
// places.
extern "C" __global__ void compact(const int* in, int* out, unsigned* count, unsigned n) {
  __shared__ unsigned place[16];
  unsigned t = threadIdx.x;
  int value = t < n ? in[t] : 0;
  place[t] = value > 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    unsigned before = t >= offset ? place[t - offset] : 0;
    __syncthreads();
    place[t] += before;
    __syncthreads();
  }
  if (value > 0) out[place[t] - 1] = value;
  if (t == blockDim.x - 1) count[0] = place[t];
}
