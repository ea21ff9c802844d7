// Evaluates expressions in reverse Polish notation, 8 tokens a thread, on a stack in local memory.
// Tokens below 256 are numbers; 256 adds, 257 subtracts, 258 multiplies, 259 doubles the top, 260
// swaps the two on top, anything else ends the expression. Too small a stack gives 0xffffffff.
extern "C" __global__ void rpn_calculator(const unsigned* tokens, unsigned* out) {
  unsigned stack[8];
  unsigned depth = 0;
  const unsigned* expression = tokens + 8 * threadIdx.x;
#pragma unroll 1
  for (unsigned place = 0; place < 8; ++place) {
    unsigned token = expression[place];
    if (token < 256) {
      stack[depth++] = token;
      continue;
    }
    if (token > 260) break;
    unsigned wanted = token == 259 ? 1 : 2;
    if (depth < wanted) {
      depth = 0;
      break;
    }
    unsigned top = stack[--depth];
    if (token == 256) {
      stack[depth - 1] += top;
    } else if (token == 257) {
      stack[depth - 1] -= top;
    } else if (token == 258) {
      stack[depth - 1] *= top;
    } else {
      unsigned below = token == 259 ? top : stack[--depth];
      stack[depth++] = top;
      stack[depth++] = below;
    }
  }
  out[threadIdx.x] = depth > 0 ? stack[depth - 1] : 0xffffffffu;
}
