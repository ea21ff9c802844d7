// A 3 x 3 convolution of an image; pixels outside repeat the nearest one.
extern "C" __global__ void convolve_2d(const unsigned* in, const unsigned* weight, unsigned* out,
                                       int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int from_x = min(max(x - dx, 0), width - 1);
      int from_y = min(max(y - dy, 0), height - 1);
      sum += weight[(dy + 1) * 3 + dx + 1] * in[from_y * width + from_x];
    }
  }
  out[y * width + x] = sum;
}
