// Steps of the Collatz map from each number to 1, at most `limit` of them; 0 has none.
extern "C" __global__ void collatz(const unsigned* in, unsigned* steps, unsigned limit,
                                   unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned count = 0;
  while (x > 1 && count < limit) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    ++count;
  }
  steps[i] = count;
}
