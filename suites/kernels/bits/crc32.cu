// CRC-32 (IEEE 802.3, reflected) of messages of `words` words each, bytes in little-endian order.
extern "C" __global__ void crc32(const unsigned* in, unsigned* out, unsigned words, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned crc = 0xffffffffu;
#pragma unroll 1
  for (unsigned w = 0; w < words; ++w) {
    crc ^= in[i * words + w];
#pragma unroll 1
    for (int bit = 0; bit < 32; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  out[i] = ~crc;
}
