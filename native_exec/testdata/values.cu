struct Pair {
  int first;
  long long second;
  signed char bytes[5];
};

__device__ __noinline__ unsigned collatz(unsigned n) {
  unsigned steps = 0;
  for (; n != 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
}
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void calls(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x;
  out[i] = collatz(in[i]) * 1000 + fibonacci(in[i] & 7);
}

// Arguments of every size.
extern "C" __global__ void scalars(unsigned* out, signed char a, unsigned short b, int c,
                                   long long d, unsigned long long e) {
  out[0] = (unsigned)(int)a;
  out[1] = b;
  out[2] = (unsigned)c;
  out[3] = (unsigned)(d >> 32);
  out[4] = (unsigned)(e >> 32);
}

// Accesses of every width, vectors, and a local array with computed places.
extern "C" __global__ void widths(unsigned* words, uint4* vectors) {
  unsigned char* bytes = (unsigned char*)words;
  unsigned short* halves = (unsigned short*)words;
  const unsigned i = threadIdx.x;
  bytes[16 * i] = (unsigned char)(i + 1);
  halves[8 * i + 1] = (unsigned short)(i + 0x1000);
  *(unsigned long long*)(words + 4 * i + 2) = 0x123456789abcdef0ull + i;
  vectors[i] = make_uint4(i, i * 2, i * 3, i * 4);
  unsigned local[8];
  for (int k = 0; k < 8; ++k) local[k] = words[4 * i + (k & 3)];
  unsigned sum = 0;
  for (int k = 0; k < 8; ++k) sum = sum * 5 + local[(k * 3 + i) & 7];
  words[4 * i + 1] = sum;
}

extern "C" __global__ void shifts(const unsigned* in, unsigned* out) {
  const unsigned i = threadIdx.x;
  switch (in[i] % 6) {
    case 0: out[i] = in[i] << 3; break;
    case 1: out[i] = in[i] >> 2; break;
    case 2: out[i] = (unsigned)((int)in[i] >> 4); break;
    case 3: out[i] = in[i] * in[i]; break;
    case 4: out[i] = in[i] / 7; break;
    default: out[i] = ~in[i]; break;
  }
}

// Divisions that raise an exception on x86-64: by zero, and of the smallest number by -1.
extern "C" __global__ void divisions(const int* a, const int* b, int* out) {
  const long long x = a[0], y = b[0];
  out[0] = a[0] / b[0];
  out[1] = a[0] % b[0];
  out[2] = (int)((unsigned)a[0] / (unsigned)b[0]);
  out[3] = (int)((unsigned)a[0] % (unsigned)b[0]);
  out[4] = (int)((x << 32) / y);
  out[5] = (int)((x << 32 | 5) % y);
}

// What C++ leaves undefined and PTX does not: shifts by more than the width.
extern "C" __global__ void long_shifts(const int* a, const unsigned* by, int* out) {
  out[0] = (int)((unsigned)a[0] << by[0]);
  out[1] = (int)((unsigned)a[0] >> by[0]);
  out[2] = a[0] >> by[0];
}

// A table that clang makes a variable of, under a name with dots.
extern "C" __global__ void lookup(const unsigned* in, unsigned* out) {
  const unsigned table[7] = {3, 1, 4, 1, 5, 9, 2};
  out[threadIdx.x] = table[in[threadIdx.x] % 7];
}
