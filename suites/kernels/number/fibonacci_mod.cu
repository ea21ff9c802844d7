// Fibonacci numbers modulo a modulus from 1 to 2^31, by addition alone.
extern "C" __global__ void fibonacci_mod(const unsigned* in, unsigned* out, unsigned modulus,
                                         unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned current = 0;
  unsigned next = modulus > 1;
#pragma unroll 1
  for (unsigned k = in[i]; k > 0; --k) {
    unsigned sum = current + next;
    if (sum >= modulus) sum -= modulus;
    current = next;
    next = sum;
  }
  out[i] = current;
}
