// One cell a function: cell[k] starts with what the launch says.
extern "C" __global__ void atomics(int* cell, unsigned* old, unsigned long long* wide) {
  const int i = threadIdx.x;
  const unsigned u = (unsigned)i;
  unsigned* const cells = (unsigned*)cell;
  atomicAdd(cell + 0, i + 1);
  atomicSub(cell + 1, i + 1);
  old[i] = (unsigned)atomicAdd(cell + 2, 1);
  atomicMin(cell + 3, 5 - i);
  atomicMax(cell + 4, i - 5);
  atomicMin(cells + 5, u + 3);
  atomicMax(cells + 6, u * 7);
  atomicInc(cells + 7, 5);
  atomicDec(cells + 8, 5);
  atomicAnd(cell + 9, ~(1 << (i & 31)));
  atomicOr(cells + 10, 1u << (i & 31));
  atomicXor(cell + 11, i * 0x1234567);
  atomicCAS(cell + 12, i, i + 1);
  atomicAdd(wide, 0x100000001ull);
  atomicMax_block(cells + 13, 0x80000000u + u);
  atomicMin_system(cells + 14, 0x90000000u - u);
  atomicMax(wide + 1, 0x8000000000000000ull + u);
  atomicExch(cell + 15, 77);
}
