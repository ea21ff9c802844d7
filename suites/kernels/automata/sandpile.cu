// The abelian sandpile on a 4 x 4 table: cells of four grains or more topple until none is left;
// grains over the edge are lost.
extern "C" __global__ void sandpile(unsigned* grains) {
  __shared__ unsigned topples[6][6];
  unsigned x = threadIdx.x + 1;
  unsigned y = threadIdx.y + 1;
  unsigned t = threadIdx.y * 4 + threadIdx.x;
#pragma unroll 1
  for (unsigned i = t; i < 36; i += 16) topples[i / 6][i % 6] = 0;
  __syncthreads();
  unsigned mine = grains[t];
  unsigned over = mine / 4;
  while (__syncthreads_or(over != 0)) {
    topples[y][x] = over;
    __syncthreads();
    mine += topples[y - 1][x] + topples[y + 1][x] + topples[y][x - 1] + topples[y][x + 1];
    mine -= 4 * over;
    over = mine / 4;
  }
  grains[t] = mine;
}
