// Lengths of the longest strictly increasing subsequences that end at each element.
extern "C" __global__ void longest_increasing(const int* in, unsigned* out, unsigned n) {
  __shared__ unsigned length[16];
  unsigned t = threadIdx.x;
  length[t] = 1;
  __syncthreads();
#pragma unroll 1
  for (unsigned k = 0; k + 1 < n; ++k) {
    // length[k] is final by now: only threads above k still write.
    if (t > k && t < n && in[k] < in[t]) length[t] = max(length[t], length[k] + 1);
    __syncthreads();
  }
  if (t < n) out[t] = length[t];
}
