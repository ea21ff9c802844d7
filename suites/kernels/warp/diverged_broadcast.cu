// The lanes with odd numbers agree on the first of them, in a branch that only they take.
extern "C" __global__ void diverged_broadcast(const unsigned* in, unsigned* out) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  unsigned value = in[threadIdx.x];
  unsigned odd = __ballot_sync(mask, value & 1);
  if (value & 1) value = __shfl_sync(odd, value, __ffs(odd) - 1, warpSize);
  out[threadIdx.x] = value;
}
