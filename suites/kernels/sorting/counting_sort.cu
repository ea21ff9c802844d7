// A stable counting sort of records (payload above, key 0 to 7 in the low three bits).
extern "C" __global__ void counting_sort(const unsigned* in, unsigned* out, unsigned n) {
  __shared__ unsigned start[8];
  unsigned t = threadIdx.x;
  unsigned key = t < n ? in[t] & 7 : 8;
  if (t < 8) start[t] = 0;
  __syncthreads();
  if (key < 8) atomicAdd(&start[key], 1);
  __syncthreads();
  if (t == 0) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < 8; ++k) {
      unsigned count = start[k];
      start[k] = sum;
      sum += count;
    }
  }
  __syncthreads();
  if (key < 8) {
    unsigned place = start[key];
#pragma unroll 1
    for (unsigned k = 0; k < t; ++k) place += (in[k] & 7) == key;
    out[place] = in[t];
  }
}
