// The greatest element and where it stands first; of no elements, the least int and 0x7fffffff.
extern "C" __global__ void argmax(const int* in, int* out, int n) {
  __shared__ int value[8];
  __shared__ int index[8];
  int t = threadIdx.x;
  int best = -0x7fffffff - 1;
  int where = 0x7fffffff;
#pragma unroll 1
  for (int i = t; i < n; i += blockDim.x) {
    if (in[i] > best || where == 0x7fffffff) {
      best = in[i];
      where = i;
    }
  }
  value[t] = best;
  index[t] = where;
  __syncthreads();
#pragma unroll 1
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) {
      int other = value[t + stride];
      if (other > value[t] || (other == value[t] && index[t + stride] < index[t])) {
        value[t] = other;
        index[t] = index[t + stride];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    out[0] = value[0];
    out[1] = index[0];
  }
}
