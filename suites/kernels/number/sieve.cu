// The sieve of Eratosthenes below n <= 128: a bit for every composite number, and how many primes
// there are. Thread t crosses off the multiples of t + 2.
extern "C" __global__ void sieve(unsigned* composite, unsigned* primes, unsigned n) {
  unsigned factor = threadIdx.x + 2;
#pragma unroll 1
  for (unsigned m = factor * factor; m < n; m += factor) {
    atomicOr(&composite[m / 32], 1u << (m & 31));
  }
  __syncthreads();
  unsigned count = 0;
#pragma unroll 1
  for (unsigned m = factor; m < n; m += blockDim.x) {
    count += (composite[m / 32] >> (m & 31) & 1) == 0;
  }
  if (count != 0) atomicAdd(primes, count);
}
