#pragma once

#include <vector>

namespace warplock::circuit {

/// PTX that one rule lowers, for rules_test.cpp.
struct Snippet {
  const char* rule;
  const char* text;
  const char* results = "o";  ///< o: %o0, 2: %o1, q: %q4, h: %h4, p: %p4
  bool whole_warps = false;   ///< every lane must be there
};

/// All of them, by family.
std::vector<Snippet> arithmetic_snippets();
std::vector<Snippet> bit_snippets();
std::vector<Snippet> data_snippets();
std::vector<Snippet> warp_snippets();
const std::vector<Snippet>& snippets();

}  // namespace warplock::circuit
