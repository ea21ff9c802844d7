__device__ int defined_nowhere(int x);

extern "C" __global__ void calls_nothing(int* out) { out[0] = defined_nowhere(3); }
