// Follows a link only when it is one: the right side of && and || must not run when the left
// decides.
extern "C" __global__ void short_circuit(const unsigned* link, unsigned* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned next = link[i];
  unsigned result = 0;
  if (next < n && link[next] < n && link[link[next]] == i) result |= 1;
  if (next >= n || link[next] == i) result |= 2;
  if (!(next < n) || (link[next] != next && link[next] >= n)) result |= 4;
  out[i] = result;
}
