// Passes values round a ring, adding the receiver's number at each step, between two buffers with
// one barrier a step.
extern "C" __global__ void barrier_ping_pong(const unsigned* in, unsigned* out, unsigned steps) {
  __shared__ unsigned buffer[2][16];
  unsigned t = threadIdx.x;
  unsigned from = t == blockDim.x - 1 ? 0 : t + 1;
  buffer[0][t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    buffer[(step + 1) & 1][t] = buffer[step & 1][from] + t;
    __syncthreads();
  }
  out[t] = buffer[steps & 1][t];
}
