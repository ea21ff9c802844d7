// Every lane takes the value of one lane of its warp, whose number counts modulo the width.
extern "C" __global__ void lane_broadcast(const unsigned* in, unsigned* out, unsigned source) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned value = in[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(mask, value, source & (warpSize - 1), warpSize);
}
