extern "C" __global__ void broken(int* out) {
  out[0] = 1;
  out[1] = undeclared;
}
