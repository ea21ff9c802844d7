// A switch over eight operations, another one for each thread.
extern "C" __global__ void switch_dispatch(const unsigned* operation, const unsigned* a,
                                           const unsigned* b, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  unsigned result;
  switch (operation[i]) {
    case 0:
      result = x + y;
      break;
    case 1:
      result = x - y;
      break;
    case 2:
      result = x * y;
      break;
    case 3:
      result = x & y;
      break;
    case 4:
      result = x | y;
      break;
    case 5:
      result = x ^ y;
      break;
    case 6:
      result = x << (y & 31);
      break;
    case 7:
      result = x >> (y & 31);
      break;
    default:
      result = 0xffffffffu;
      break;
  }
  out[i] = result;
}
