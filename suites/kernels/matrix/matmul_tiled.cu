// The product of two square matrices through 8 x 8 tiles in shared memory.
extern "C" __global__ void matmul_tiled(const unsigned* a, const unsigned* b, unsigned* out,
                                        unsigned n) {
  __shared__ unsigned tile_a[8][8];
  __shared__ unsigned tile_b[8][8];
  unsigned x = threadIdx.x;
  unsigned y = threadIdx.y;
  unsigned column = blockIdx.x * 8 + x;
  unsigned row = blockIdx.y * 8 + y;
  unsigned sum = 0;
  for (unsigned start = 0; start < n; start += 8) {
    tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0;
    tile_b[y][x] = start + y < n && column < n ? b[(start + y) * n + column] : 0;
    __syncthreads();
    for (unsigned k = 0; k < 8; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < n && column < n) out[row * n + column] = sum;
}
