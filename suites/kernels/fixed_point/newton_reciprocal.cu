// floor((2^32 - 1) / d) for d > 0, by Newton's iteration on fixed-point numbers and no division.
extern "C" __global__ void newton_reciprocal(const unsigned* in, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned d = in[i];
  int shift = __clz(d);
  unsigned x = d << shift;  // 32 fractional bits, from 1/2 to 1

  // 48/17 - 32/17 x, with 30 fractional bits: off by at most 1/17.
  unsigned r = 3031741620u - __umulhi(x, 2021161080u);
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    unsigned error = (1u << 31) - __umulhi(x, r);
    r = __umulhi(r, error) << 2;
  }
  r -= 16;  // certainly not too large now

  unsigned quotient = shift == 31 ? r << 1 : r >> (30 - shift);
  unsigned rest = 0xffffffffu - quotient * d;
  while (rest >= d) {
    rest -= d;
    ++quotient;
  }
  out[i] = quotient;
}
