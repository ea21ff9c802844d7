// Run-length encoding: the value and the length of every run, and the number of runs.
extern "C" __global__ void run_length(const unsigned* in, unsigned* value, unsigned* length,
                                      unsigned* runs, unsigned n) {
  __shared__ unsigned place[16];
  unsigned t = threadIdx.x;
  bool head = t < n && (t == 0 || in[t] != in[t - 1]);
  place[t] = head;
  __syncthreads();
#pragma unroll 1
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    unsigned before = t >= offset ? place[t - offset] : 0;
    __syncthreads();
    place[t] += before;
    __syncthreads();
  }
  if (head) {
    unsigned end = t + 1;
    while (end < n && in[end] == in[t]) ++end;
    value[place[t] - 1] = in[t];
    length[place[t] - 1] = end - t;
  }
  if (t == blockDim.x - 1) runs[0] = place[t];
}
