// Conway's Game of Life on a torus of one block, one cell a thread.
extern "C" __global__ void life(unsigned* cells, unsigned steps) {
  __shared__ unsigned board[5][6];
  unsigned x = threadIdx.x;
  unsigned y = threadIdx.y;
  unsigned width = blockDim.x;
  unsigned height = blockDim.y;
  unsigned left = x == 0 ? width - 1 : x - 1;
  unsigned right = x == width - 1 ? 0 : x + 1;
  unsigned up = y == 0 ? height - 1 : y - 1;
  unsigned down = y == height - 1 ? 0 : y + 1;
  unsigned alive = cells[y * width + x];
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    board[y][x] = alive;
    __syncthreads();
    unsigned neighbours = board[up][left] + board[up][x] + board[up][right] + board[y][left] +
                          board[y][right] + board[down][left] + board[down][x] + board[down][right];
    alive = neighbours == 3 || (neighbours == 2 && alive);
    __syncthreads();
  }
  cells[y * width + x] = alive;
}
