// Reverses the elements of each warp through shared memory that only a warp barrier protects.
extern "C" __global__ void syncwarp_reverse(const unsigned* in, unsigned* out) {
  __shared__ unsigned exchange[32];
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned t = threadIdx.x;
  exchange[t] = in[t];
  __syncwarp(mask);
  out[t] = exchange[t ^ (warpSize - 1)];
}
