// Reverses every tile of 8 elements; the next tile is fetched into one buffer while the other is
// used.
extern "C" __global__ void double_buffer(const unsigned* in, unsigned* out, unsigned tiles) {
  __shared__ unsigned buffer[2][8];
  unsigned t = threadIdx.x;
  if (tiles > 0) buffer[0][t] = in[t];
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    __syncthreads();
    if (tile + 1 < tiles) buffer[(tile + 1) & 1][t] = in[(tile + 1) * 8 + t];
    out[tile * 8 + t] = buffer[tile & 1][7 - t];
  }
}
