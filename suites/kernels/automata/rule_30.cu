// The elementary automaton 30 on a ring, one cell a thread, between two rows in shared memory.
extern "C" __global__ void rule_30(const unsigned* in, unsigned* out, unsigned steps) {
  __shared__ unsigned row[2][24];
  unsigned x = threadIdx.x;
  unsigned last = blockDim.x - 1;
  unsigned left = x == 0 ? last : x - 1;
  unsigned right = x == last ? 0 : x + 1;
  unsigned now = 0;
  row[0][x] = in[x];
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    row[1 - now][x] = row[now][left] ^ (row[now][x] | row[now][right]);
    now = 1 - now;
    __syncthreads();
  }
  out[x] = row[now][x];
}
