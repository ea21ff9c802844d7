// Counts the words, the numbers and the longest word of a text with a state machine: characters are
// letters (1), digits (2), blanks (0) and the end (3). Each thread reads its own line of 8
// characters.
extern "C" __global__ void state_machine(const unsigned* text, unsigned* out) {
  const unsigned* line = text + 8 * threadIdx.x;
  unsigned state = 0;  // 0 between words, 1 in a word, 2 in a number, 3 at the end
  unsigned words = 0;
  unsigned numbers = 0;
  unsigned length = 0;
  unsigned longest = 0;
  unsigned place = 0;
  while (state != 3) {
    unsigned kind = place < 8 ? line[place] : 3;
    ++place;
    switch (state) {
      case 0:
        length = 0;
        state = kind;
        if (kind == 1) ++words;
        if (kind == 2) ++numbers;
        break;
      case 1:
        ++length;
        longest = max(longest, length);
        // A word may hold digits after its first letter.
        if (kind == 0 || kind == 3) state = kind;
        break;
      default:
        // A letter ends a number and begins a word.
        if (kind == 1) ++words;
        if (kind != 2) {
          state = kind;
          length = 0;
        }
        break;
    }
  }
  out[threadIdx.x] = words << 16 | numbers << 8 | longest;
}
