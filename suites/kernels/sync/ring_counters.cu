// Counters that wrap around: one goes up from 0 to `top`, one comes down from `top` to 0.
extern "C" __global__ void ring_counters(const unsigned* in, unsigned* counters, unsigned top,
                                         unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] & 1) {
    atomicInc(&counters[0], top);
  } else {
    atomicDec(&counters[1], top);
  }
}
