// The Mandelbrot set with 12 fractional bits: how many steps each point takes to leave the circle
// of radius 2.
extern "C" __global__ void mandelbrot(unsigned* out, int left, int top, int step, unsigned limit) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  int cx = left + (int)column * step;
  int cy = top + (int)row * step;
  int x = 0;
  int y = 0;
  unsigned count = 0;
  while (count < limit) {
    int xx = x * x >> 12;
    int yy = y * y >> 12;
    if (xx + yy > 4 << 12) break;
    y = (x * y >> 11) + cy;
    x = xx - yy + cx;
    ++count;
  }
  out[row * gridDim.x * blockDim.x + column] = count;
}
