// Every integer builtin on one pair of operands a thread: out[k * n + i] is the k-th function.
extern "C" __global__ void arithmetic(const unsigned* a, const unsigned* b, const unsigned* c,
                                      unsigned* out) {
  const unsigned i = threadIdx.x, n = blockDim.x;
  const unsigned x = a[i], y = b[i], z = c[i];
  const int sx = (int)x, sy = (int)y, sz = (int)z;
  const unsigned long long wide = ((unsigned long long)x << 32) | y;
  unsigned k = 0;
#define PUT(value) out[k++ * n + i] = (unsigned)(value)
  PUT(__popc(x));
  PUT(__popcll(wide));
  PUT(__clz(sx));
  PUT(__clzll((long long)wide));
  PUT(__ffs(sx));
  PUT(__ffsll((long long)wide));
  PUT(__brev(x));
  PUT(__brevll(wide) >> 32);
  PUT(__byte_perm(x, y, z));
  PUT(__fns(x, y & 31, (int)(z % 9) - 4));
  PUT(__funnelshift_l(x, y, z));
  PUT(__funnelshift_r(x, y, z));
  PUT(__funnelshift_lc(x, y, z));
  PUT(__funnelshift_rc(x, y, z));
  PUT(__mulhi(sx, sy));
  PUT(__umulhi(x, y));
  PUT(__mul64hi((long long)wide, (long long)sz) >> 7);
  PUT(__umul64hi(wide, ((unsigned long long)z << 32) | x) >> 7);
  PUT(__mul24(sx, sy));
  PUT(__umul24(x, y));
  PUT(__sad(sx, sy, z));
  PUT(__usad(x, y, z));
  PUT(__hadd(sx, sy));
  PUT(__rhadd(sx, sy));
  PUT(__uhadd(x, y));
  PUT(__urhadd(x, y));
  PUT(__dp4a(sx, sy, sz));
  PUT(__dp4a(x, y, z));
  PUT(__dp2a_lo(sx, sy, sz));
  PUT(__dp2a_lo(x, y, z));
  PUT(__dp2a_hi(sx, sy, sz));
  PUT(__dp2a_hi(x, y, z));
  PUT(min(sx, sy));
  PUT(max(sx, sy));
  PUT(min(x, y));
  PUT(max(x, y));
  PUT(min(sx, y));
  PUT(abs(sx));
  PUT(llabs((long long)wide) >> 32);
  PUT(__ldg(a + i) + __ldg((const int*)b + i));
  PUT(sx / (sy | 1));
  PUT(sx % (sy | 1));
  PUT(x / (y | 1));
  PUT(x % (y | 1));
  PUT(wide / (z | 1));
  PUT((long long)wide % (long long)(sz | 1));
}
