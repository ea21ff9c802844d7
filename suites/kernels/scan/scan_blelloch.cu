// Exclusive prefix sums, two elements a thread, by Blelloch's up-sweep and down-sweep.
extern "C" __global__ void scan_blelloch(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned tree[16];
  unsigned t = threadIdx.x;
  unsigned count = 2 * blockDim.x;
  tree[2 * t] = 2 * t < n ? in[2 * t] : 0;
  tree[2 * t + 1] = 2 * t + 1 < n ? in[2 * t + 1] : 0;

  unsigned offset = 1;
#pragma unroll 1
  for (unsigned active = count / 2; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) tree[count - 1] = 0;
#pragma unroll 1
  for (unsigned active = 1; active < count; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < active) {
      unsigned left = offset * (2 * t + 1) - 1;
      unsigned right = offset * (2 * t + 2) - 1;
      unsigned carried = tree[left];
      tree[left] = tree[right];
      tree[right] += carried;
    }
  }
  __syncthreads();
  if (2 * t < n) out[2 * t] = tree[2 * t];
  if (2 * t + 1 < n) out[2 * t + 1] = tree[2 * t + 1];
}
