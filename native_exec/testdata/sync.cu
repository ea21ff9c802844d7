__device__ unsigned turns;
__device__ int lock;
__constant__ unsigned factors[4] = {3, 5, 7, 11};
__device__ unsigned* cell = &turns;

// Reverses a block through shared memory, static and dynamic.
extern "C" __global__ void reverse(const unsigned* in, unsigned* out) {
  __shared__ unsigned buffer[64];
  extern __shared__ unsigned more[];
  const unsigned i = threadIdx.x, n = blockDim.x, base = blockIdx.x * n;
  buffer[i] = in[base + i];
  more[i] = in[base + i] * factors[i & 3];
  __syncthreads();
  out[base + i] = buffer[n - 1 - i] + more[n - 1 - i];
}

extern "C" __global__ void barrier_counts(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x, n = blockDim.x;
  out[i] = (unsigned)__syncthreads_count(in[i] & 1);
  out[n + i] = (unsigned)__syncthreads_and(in[i] != 0);
  out[2 * n + i] = (unsigned)__syncthreads_or(in[i] == 4);
}

// Half of the threads have left when the others meet.
extern "C" __global__ void early_exit(unsigned* out, unsigned stay) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x >= stay) return;
  atomicAdd(&sum, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = sum;
}

extern "C" __global__ void spin_lock(unsigned* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      volatile unsigned* count = out;
      *count = *count * 3 + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

// Thread 0 waits for the flag that the last one sets.
extern "C" __global__ void flag(volatile unsigned* out) {
  if (threadIdx.x == 0) {
    while (out[0] == 0) {
    }
    out[1] = out[0] + 1;
  } else if (threadIdx.x == blockDim.x - 1) {
    out[0] = 41;
  }
}

// Module variables begin anew with every launch.
extern "C" __global__ void count_turns(unsigned* out) {
  atomicAdd(cell, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = turns;
}
