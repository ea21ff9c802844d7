// Matrix times vector, one row a thread.
extern "C" __global__ void matvec(const unsigned* matrix, const unsigned* vector, unsigned* out,
                                  unsigned rows, unsigned columns) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned k = 0; k < columns; ++k) sum += matrix[row * columns + k] * vector[k];
  out[row] = sum;
}
