// Langton's ant on a 5 x 5 torus; each thread has its own board and ant (x, y, direction: 0 up,
// 1 right, 2 down, 3 left).
extern "C" __global__ void langton_ant(unsigned* boards, int* ants, unsigned steps) {
  unsigned* board = boards + 25 * threadIdx.x;
  int* ant = ants + 3 * threadIdx.x;
  int x = ant[0];
  int y = ant[1];
  int direction = ant[2];
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    unsigned cell = board[5 * y + x];
    board[5 * y + x] = 1 - cell;
    direction = (direction + (cell ? 3 : 1)) & 3;
    if (direction & 1) {
      x += 2 - direction;
      if (x < 0) x = 4;
      if (x > 4) x = 0;
    } else {
      y += direction - 1;
      if (y < 0) y = 4;
      if (y > 4) y = 0;
    }
  }
  ant[0] = x;
  ant[1] = y;
  ant[2] = direction;
}
