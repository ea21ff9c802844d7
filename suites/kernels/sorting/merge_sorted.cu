// Merges two sorted arrays: each element finds its place by a binary search in the other array.
extern "C" __global__ void merge_sorted(const int* a, const int* b, int* out, unsigned n,
                                        unsigned m) {
  unsigned t = threadIdx.x;
  if (t >= n + m) return;
  bool from_a = t < n;
  unsigned mine = from_a ? t : t - n;
  int key = from_a ? a[mine] : b[mine];
  const int* other = from_a ? b : a;
  unsigned low = 0;
  unsigned high = from_a ? m : n;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    // Of equal elements those of a come first.
    bool before = from_a ? other[middle] < key : other[middle] <= key;
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[mine + low] = key;
}
