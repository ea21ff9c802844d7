// More of a thread's own memory than CUDA gives one.
extern "C" __global__ void large(int* out) {
  volatile int local[150000];
  for (int i = 0; i < 150000; ++i) local[i] = out[0] + i;
  out[0] = local[out[0]];
}
