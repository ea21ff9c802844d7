// Where a thread is: ten words a thread.
extern "C" __global__ void places(unsigned* out) {
  const unsigned thread =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned* mine = out + 11 * (thread + blockDim.x * blockDim.y * blockDim.z * block);
  const uint3 t = threadIdx, b = blockIdx;
  const dim3 bd = blockDim, gd = gridDim;
  mine[0] = t.x + 100 * t.y + 10000 * t.z;
  mine[1] = b.x + 100 * b.y + 10000 * b.z;
  mine[2] = bd.x;
  mine[3] = bd.y;
  mine[4] = bd.z;
  mine[5] = gd.x;
  mine[6] = gd.y;
  mine[7] = gd.z;
  mine[8] = warpSize;
  mine[9] = thread % warpSize;
  mine[10] = block;
}
