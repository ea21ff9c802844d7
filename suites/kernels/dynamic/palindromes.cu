// The length of the longest palindrome around each of the 2n - 1 centres, on and between
// characters.
extern "C" __global__ void palindromes(const unsigned* text, unsigned* length, int n) {
  int centre = threadIdx.x;
  if (centre >= 2 * n - 1) return;
  int left = centre >> 1;
  int right = (centre + 1) >> 1;
  while (left >= 0 && right < n && text[left] == text[right]) {
    --left;
    ++right;
  }
  length[centre] = right - left - 1;
}
