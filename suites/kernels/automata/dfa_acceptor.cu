// A deterministic finite automaton over bits: next[2 * state + bit], start in state 0. Reads each
// word's low `length` bits from the highest down and reports whether the last state accepts.
extern "C" __global__ void dfa_acceptor(const unsigned* next, const unsigned* words,
                                        unsigned* accepted, unsigned accepting, unsigned length,
                                        unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned word = words[i];
  unsigned state = 0;
#pragma unroll 1
  for (unsigned left = length; left > 0; --left) {
    state = next[2 * state + (word >> (left - 1) & 1)];
  }
  accepted[i] = accepting >> state & 1;
}
