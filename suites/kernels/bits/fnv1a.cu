// The 32-bit FNV-1a hash of messages of `words` words each, bytes in little-endian order.
extern "C" __global__ void fnv1a(const unsigned* in, unsigned* out, unsigned words, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned hash = 2166136261u;
#pragma unroll 1
  for (unsigned byte = 0; byte < 4 * words; ++byte) {
    hash ^= in[i * words + byte / 4] >> (byte & 3) * 8 & 255;
    hash *= 16777619u;
  }
  out[i] = hash;
}
