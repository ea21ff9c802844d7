// Differences of a volume along its third axis, on a three-dimensional grid; the last layer is
// copied.
extern "C" __global__ void volume_difference(const unsigned* in, unsigned* out, unsigned width,
                                             unsigned height, unsigned depth) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth) return;
  unsigned i = (z * height + y) * width + x;
  out[i] = z + 1 < depth ? in[i + width * height] - in[i] : in[i];
}
