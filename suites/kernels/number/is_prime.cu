// Primality of numbers below 2^32 - 2^17 by trial division.
extern "C" __global__ void is_prime(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned prime = x == 2 || (x > 2 && (x & 1));
#pragma unroll 1
  for (unsigned d = 3; prime && d * d <= x; d += 2) prime = x % d != 0;
  out[i] = prime;
}
