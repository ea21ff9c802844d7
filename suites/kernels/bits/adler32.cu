// Adler-32 checksums of messages of `words` words each, bytes in little-endian order.
extern "C" __global__ void adler32(const unsigned* in, unsigned* out, unsigned words, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = 1;
  unsigned b = 0;
#pragma unroll 1
  for (unsigned byte = 0; byte < 4 * words; ++byte) {
    a += in[i * words + byte / 4] >> (byte & 3) * 8 & 255;
    if (a >= 65521) a -= 65521;
    b += a;
    if (b >= 65521) b -= 65521;
  }
  out[i] = b << 16 | a;
}
