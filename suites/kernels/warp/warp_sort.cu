// Sorts the numbers of each warp with a bitonic network of shuffles, without memory.
extern "C" __global__ void warp_sort(int* data) {
  unsigned mask = 0xffffffffu >> (32 - warpSize);
  int lane = threadIdx.x & (warpSize - 1);
  int key = data[threadIdx.x];
#pragma unroll 1
  for (int size = 2; size <= warpSize; size *= 2) {
#pragma unroll 1
    for (int distance = size / 2; distance > 0; distance /= 2) {
      int other = __shfl_xor_sync(mask, key, distance, warpSize);
      bool ascending = (lane & size) == 0 || size == warpSize;
      bool lower = (lane & distance) == 0;
      key = lower == ascending ? min(key, other) : max(key, other);
    }
  }
  data[threadIdx.x] = key;
}
