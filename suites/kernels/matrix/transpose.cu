// Transposes a matrix through a padded 4 x 4 tile, so that rows are read and rows are written.
extern "C" __global__ void transpose(const unsigned* in, unsigned* out, unsigned width,
                                     unsigned height) {
  __shared__ unsigned tile[4][5];
  unsigned x = blockIdx.x * 4 + threadIdx.x;
  unsigned y = blockIdx.y * 4 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 4 + threadIdx.x;
  y = blockIdx.x * 4 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
