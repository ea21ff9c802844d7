// Dot products of the rows of two matrices with 64-bit sums, stored as low and high words.
extern "C" __global__ void dot_wide(const int* a, const int* b, unsigned* low, unsigned* high,
                                    unsigned columns) {
  unsigned row = threadIdx.x;
  long long sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < columns; ++k) {
    sum += (long long)a[row * columns + k] * b[row * columns + k];
  }
  low[row] = (unsigned)sum;
  high[row] = (unsigned)(sum >> 32);
}
