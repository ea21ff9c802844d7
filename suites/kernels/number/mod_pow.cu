// base^exponent modulo a modulus from 1 to 65536, by squaring.
extern "C" __global__ void mod_pow(const unsigned* base, const unsigned* exponent, unsigned* out,
                                   unsigned modulus, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned power = base[i] % modulus;
  unsigned result = 1 % modulus;
#pragma unroll 1
  for (unsigned e = exponent[i]; e != 0; e >>= 1) {
    if (e & 1) result = result * power % modulus;
    power = power * power % modulus;
  }
  out[i] = result;
}
