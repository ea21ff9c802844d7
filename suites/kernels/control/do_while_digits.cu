// Reverses the decimal digits of numbers below 10^9 and counts them; 0 has one.
extern "C" __global__ void do_while_digits(const unsigned* in, unsigned* reversed, unsigned* digits,
                                           unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  unsigned result = 0;
  unsigned count = 0;
  do {
    unsigned rest = x / 10;
    result = result * 10 + (x - rest * 10);
    x = rest;
    ++count;
  } while (x != 0);
  reversed[i] = result;
  digits[i] = count;
}
