// A fair lock: draw a ticket, wait until it is served, serve the next one. lock[0] is the next
// ticket, lock[1] the one that is served. Lanes of one warp wait for each other: this needs threads
// that all make progress, as every GPU since Volta has them.
extern "C" __global__ void ticket_lock(const int* in, unsigned* lock, volatile int* guarded,
                                       unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile unsigned* serving = lock + 1;
  unsigned ticket = atomicAdd(&lock[0], 1);
  bool done = false;
  while (!done) {
    if (*serving == ticket) {
      __threadfence();
      guarded[0] = guarded[0] ^ in[i];
      guarded[1] = max(guarded[1], in[i]);
      __threadfence();
      atomicAdd(&lock[1], 1);
      done = true;
    }
  }
}
