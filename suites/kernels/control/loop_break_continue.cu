// Each thread walks the array from its own place: skips odd numbers, stops at zero or when its sum
// passes a limit, and reports the sum.
extern "C" __global__ void loop_break_continue(const unsigned* in, unsigned* out, unsigned limit,
                                               unsigned n) {
  unsigned start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= n) return;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = start; i < n; ++i) {
    unsigned x = in[i];
    if (x == 0) break;
    if (x & 1) continue;
    sum += x;
    if (sum > limit) break;
  }
  out[start] = sum;
}
