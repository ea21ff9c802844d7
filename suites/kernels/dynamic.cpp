#include <algorithm>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

struct Strings {
  const char* name;
  const char* a;
  const char* b;
};

const std::vector<Strings> kStrings{
    {"both-empty", "", ""},
    {"first-empty", "", "abc"},
    {"second-empty", "abcd", ""},
    {"equal", "abracada", "abracada"},
    {"kitten-sitting", "kitten", "sitting"},
    {"nothing-common", "aaaaaaaa", "bbbbbbbb"},
    {"reversed", "abcdefgh", "hgfedcba"},
    {"shifted", "abcdefgh", "bcdefgha"},
    {"one-each", "x", "y"},
    {"inside", "cde", "abcdefg"},
};

Words letters(const std::string& text, size_t count) {
  Words words(count, 0);
  std::copy(text.begin(), text.end(), words.begin());
  return words;
}

/// (a, b, out, n, m) over `kStrings` and random strings of up to `count` letters.
std::vector<KernelInput> string_inputs(size_t count) {
  std::vector<KernelInput> inputs;
  const auto add = [&](const std::string& name, const std::string& a, const std::string& b) {
    inputs.push_back({name,
                      {buffer("a", letters(a, count)), buffer("b", letters(b, count)),
                       output("out", 1), scalar("n", static_cast<uint32_t>(a.size())),
                       scalar("m", static_cast<uint32_t>(b.size()))}});
  };
  for (const Strings& strings : kStrings) add(strings.name, strings.a, strings.b);
  Random random(7);
  for (const char* name : {"random-0", "random-1"}) {
    std::string a, b;
    for (size_t i = 0; i < count; ++i) a += static_cast<char>('a' + random.below(3));
    for (size_t i = 0; i + 1 < count; ++i) b += static_cast<char>('a' + random.below(3));
    add(name, a, b);
  }
  return inputs;
}

/// Levenshtein's distance between the first n and m letters, by the definition.
uint32_t distance(const Words& a, const Words& b, size_t n, size_t m) {
  std::vector<uint32_t> row(m + 1);
  for (size_t j = 0; j <= m; ++j) row[j] = static_cast<uint32_t>(j);
  for (size_t i = 1; i <= n; ++i) {
    uint32_t corner = row[0]++;
    for (size_t j = 1; j <= m; ++j) {
      const uint32_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[m];
}

void host_edit_distance(const Launch& launch, Buffers& buffers) {
  buffers[2][0] = distance(buffers[0], buffers[1], scalar_at(launch, 3), scalar_at(launch, 4));
}

void host_lcs(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 3), m = scalar_at(launch, 4);
  std::vector<Words> length(n + 1, Words(m + 1, 0));
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = 0; j < m; ++j) {
      length[i + 1][j + 1] = buffers[0][i] == buffers[1][j]
                                 ? length[i][j] + 1
                                 : std::max(length[i][j + 1], length[i + 1][j]);
    }
  }
  buffers[2][0] = length[n][m];
}

std::vector<KernelInput> knapsack_inputs() {
  return inputs_from(small_arrays(8, 12), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("weight", array.words),
                                           buffer("value", random.words_below(8, 100)),
                                           output("best", 16), scalar("items", array.n)};
  });
}

void host_knapsack(const Launch& launch, Buffers& buffers) {
  // Every subset of the items, for every capacity.
  const uint32_t items = scalar_at(launch, 3);
  std::fill(buffers[2].begin(), buffers[2].end(), 0);
  for (uint32_t subset = 0; subset < 1u << items; ++subset) {
    uint32_t weight = 0, value = 0;
    for (uint32_t item = 0; item < items; ++item) {
      if (subset >> item & 1) {
        weight += buffers[0][item];
        value += buffers[1][item];
      }
    }
    for (uint32_t capacity = weight; capacity < 16; ++capacity) {
      buffers[2][capacity] = std::max(buffers[2][capacity], value);
    }
  }
}

void host_increasing(const Launch& launch, Buffers& buffers) {
  // Patience sorting: tails[k] is the least end of an increasing subsequence of length k + 1.
  std::vector<int32_t> tails;
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) {
    const int32_t value = as_signed(buffers[0][i]);
    const auto place = std::lower_bound(tails.begin(), tails.end(), value);
    buffers[1][i] = as_word(place - tails.begin() + 1);
    if (place == tails.end()) {
      tails.push_back(value);
    } else {
      *place = value;
    }
  }
}

std::vector<KernelInput> substring_inputs() {
  return inputs_from(small_arrays(24, 3), [](const Array& array, Random& random) {
    uint32_t m = random.below(5);
    Words pattern = random.words_below(6, 2);
    if (array.name == "random-0") {
      m = 3;
      std::copy_n(array.words.begin() + 9, 3, pattern.begin());
    }
    if (array.name == "single") m = 2;
    return std::vector<executor::Argument>{buffer("text", array.words), buffer("pattern", pattern),
                                           output("found", 24), scalar("n", array.n),
                                           scalar("m", m)};
  });
}

void host_substring(const Launch& launch, Buffers& buffers) {
  const auto n = static_cast<std::ptrdiff_t>(scalar_at(launch, 3));
  const auto m = static_cast<std::ptrdiff_t>(scalar_at(launch, 4));
  std::fill_n(buffers[2].begin(), n, 0);
  const auto end = buffers[0].begin() + n;
  for (auto at = buffers[0].begin(); at != end; ++at) {
    if (end - at >= m && std::equal(buffers[1].begin(), buffers[1].begin() + m, at)) {
      buffers[2][static_cast<size_t>(at - buffers[0].begin())] = 1;
    }
  }
}

std::vector<KernelInput> run_inputs() {
  return inputs_from(small_arrays(16, 3), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words), output("value", 16),
                                           output("length", 16), output("runs", 1),
                                           scalar("n", array.n)};
  });
}

void host_runs(const Launch& launch, Buffers& buffers) {
  uint32_t runs = 0;
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    if (runs > 0 && buffers[1][runs - 1] == buffers[0][i]) {
      ++buffers[2][runs - 1];
    } else {
      buffers[1][runs] = buffers[0][i];
      buffers[2][runs++] = 1;
    }
  }
  buffers[3][0] = runs;
}

std::vector<KernelInput> palindrome_inputs() {
  std::vector<KernelInput> inputs;
  for (const char* text : {"", "a", "aa", "ab", "level", "abacabadabacaba", "aaaaaaaaaaaaaaaa",
                           "abccbaabccba", "mississippi", "abcdefghijklmnop"}) {
    const std::string name = *text == '\0' ? "empty" : text;
    inputs.push_back({name,
                      {buffer("text", letters(text, 16)), output("length", 31),
                       scalar("n", static_cast<uint32_t>(std::string(text).size()))}});
  }
  return inputs;
}

void host_palindromes(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  const auto text = buffers[0].begin();
  for (uint32_t centre = 0; centre + 1 < 2 * n; ++centre) {
    // Every substring with this centre is text[begin, end) with begin + end = centre + 1.
    uint32_t longest = 0;
    for (uint32_t begin = 0; begin <= centre + 1 - begin; ++begin) {
      const uint32_t end = centre + 1 - begin;
      if (end > n) continue;
      const Words part(text + begin, text + end);
      if (std::equal(part.begin(), part.end(), part.rbegin())) {
        longest = std::max(longest, end - begin);
      }
    }
    buffers[1][centre] = longest;
  }
}

}  // namespace

std::vector<Kernel> dynamic_kernels() {
  const std::string family = "dynamic";
  return {
      {"edit_distance",
       family,
       "Levenshtein distance by diagonals",
       {1, 1, 1},
       {9, 1, 1},
       0,
       [] { return string_inputs(8); },
       host_edit_distance},
      {"lcs",
       family,
       "longest common subsequence by rolling diagonals",
       {1, 1, 1},
       {16, 1, 1},
       0,
       [] { return string_inputs(15); },
       host_lcs},
      {"knapsack",
       family,
       "0/1 knapsack, a capacity a thread",
       {1, 1, 1},
       {16, 1, 1},
       0,
       knapsack_inputs,
       host_knapsack},
      {"longest_increasing",
       family,
       "longest increasing subsequences",
       {1, 1, 1},
       {16, 1, 1},
       0,
       [] { return unary_inputs(16); },
       host_increasing},
      {"substring_search",
       family,
       "places of a pattern in a text",
       {3, 1, 1},
       {8, 1, 1},
       0,
       substring_inputs,
       host_substring},
      {"run_length",
       family,
       "run-length encoding",
       {1, 1, 1},
       {16, 1, 1},
       0,
       run_inputs,
       host_runs},
      {"palindromes",
       family,
       "longest palindrome around each centre",
       {1, 1, 1},
       {31, 1, 1},
       0,
       palindrome_inputs,
       host_palindromes},
  };
}

}  // namespace warplock::suites
