// A lock by compare-and-swap around two counters: how many threads came in, and the sum of what
// they brought. The lanes of a warp take turns, so that no lane waits for another one of its own
// warp.
extern "C" __global__ void spin_lock(const unsigned* in, int* lock, volatile unsigned* counters,
                                     unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & (warpSize - 1);
#pragma unroll 1
  for (int turn = 0; turn < warpSize; ++turn) {
    if (lane == turn && i < n) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      counters[0] = counters[0] + 1;
      counters[1] = counters[1] + in[i];
      __threadfence();
      atomicExch(lock, 0);
    }
  }
}
