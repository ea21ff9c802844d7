#include <algorithm>
#include <bit>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> nested_inputs() {
  return inputs_from(small_arrays(24, 64), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           buffer("out", random.words(24)), scalar("n", array.n)};
  });
}

void host_nested(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 2); ++i) {
    const uint32_t x = buffers[0][i];
    const uint32_t old = buffers[1][i];
    switch (x & 3) {
      case 3:
        buffers[1][i] = old + 3 * x + (x & 4 ? old : 0);
        break;
      case 1:
        buffers[1][i] = old + (x ^ old);
        break;
      default:
        if (x & 8) {
          buffers[1][i] = 105 + (x >> 4);
        } else {
          buffers[1][i] = old + 100 + (x & 16 ? old - x : 1);
        }
    }
  }
}

void host_early_exit(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 1, scalar_at(launch, 2), [](uint32_t word) {
    const int64_t x = as_signed(word);
    if (x == 0) return 1u;
    if (x < 0) return as_word((-x + 1) / 2);
    const auto halvings = static_cast<uint32_t>(std::bit_width(word)) - 1;
    return halvings >= 20 ? 2 : halvings + 3;
  });
}

std::vector<KernelInput> switch_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    Words operation = random.words_below(24, 10);
    if (array.name == "zeros") std::fill(operation.begin(), operation.end(), 4);
    if (array.name == "random-full") operation = random.words_below(24, 2);
    return std::vector<executor::Argument>{buffer("operation", operation), buffer("a", array.words),
                                           buffer("b", shuffled(array.words)), output("out", 24),
                                           scalar("n", array.n)};
  });
}

void host_switch(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 4); ++i) {
    const uint32_t x = buffers[1][i], y = buffers[2][i], shift = y % 32;
    const uint32_t results[] = {x + y, x - y, x * y, x & y, x | y, x ^ y, x << shift, x >> shift};
    const uint32_t operation = buffers[0][i];
    buffers[3][i] = operation < 8 ? results[operation] : 0xffffffff;
  }
}

std::vector<KernelInput> loop_inputs() {
  return inputs_from(small_arrays(24, 9), [](const Array& array, Random& random) {
    const uint32_t limits[] = {0, 3, 15, 0xffffffff};
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 24),
                                           scalar("limit", limits[random.below(4)]),
                                           scalar("n", array.n)};
  });
}

void host_loop(const Launch& launch, Buffers& buffers) {
  const auto end = buffers[0].begin() + scalar_at(launch, 3);
  for (auto start = buffers[0].begin(); start != end; ++start) {
    uint32_t sum = 0;
    const auto stop = std::find(start, end, 0u);
    for (auto at = start; at != stop && sum <= scalar_at(launch, 2); ++at)
      sum += *at % 2 == 0 ? *at : 0;
    buffers[1][static_cast<size_t>(start - buffers[0].begin())] = sum;
  }
}

std::vector<KernelInput> link_inputs() {
  return inputs_from(small_arrays(24, 26), [](const Array& array, Random&) {
    Words link = array.words;
    // Bad links, far beyond the array, on top of those that only just leave it.
    if (array.name == "random-1") std::replace(link.begin(), link.end(), 3u, 0xffffffffu);
    return std::vector<executor::Argument>{buffer("link", link), output("out", 24),
                                           scalar("n", array.n)};
  });
}

void host_links(const Launch& launch, Buffers& buffers) {
  const uint32_t n = scalar_at(launch, 2);
  const Words& link = buffers[0];
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t second = link[i];
    uint32_t result = 6;
    if (second < n) {
      const uint32_t third = link[second];
      result = third == i ? 2 : 0;
      if (third >= n) {
        if (third != second) result |= 4;
      } else if (link[third] == i) {
        result |= 1;
      }
    }
    buffers[1][i] = result;
  }
}

std::vector<KernelInput> digit_inputs() {
  return inputs_from(small_arrays(24, 1'000'000'000), [](const Array& array, Random& random) {
    Words in = array.words;
    if (array.name == "random-1") {
      // Numbers of every length.
      for (size_t i = 0; i < in.size(); ++i) in[i] = random.next() % 1'000'000'000 >> i;
    }
    return std::vector<executor::Argument>{buffer("in", in), output("reversed", 24),
                                           output("digits", 24), scalar("n", array.n)};
  });
}

void host_digits(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 3); ++i) {
    std::string text = std::to_string(buffers[0][i]);
    buffers[2][i] = static_cast<uint32_t>(text.size());
    std::reverse(text.begin(), text.end());
    buffers[1][i] = as_word(std::stoll(text));
  }
}

std::vector<KernelInput> call_inputs() {
  return inputs_from(small_arrays(16, 40), [](const Array& array, Random& random) {
    const uint32_t limits[] = {0, 2, 30, 100, 10000};
    return std::vector<executor::Argument>{buffer("in", array.words), output("out", 16),
                                           scalar("limit", limits[random.below(5)]),
                                           scalar("n", array.n)};
  });
}

void host_calls(const Launch& launch, Buffers& buffers) {
  const auto steps = [&](uint32_t x) {
    Words orbit{x};
    while (orbit.back() > 1 && orbit.back() < scalar_at(launch, 2)) {
      const uint32_t last = orbit.back();
      orbit.push_back(last % 2 == 0 ? last / 2 : 3 * last + 1);
    }
    return static_cast<uint32_t>(orbit.size() - 1) + (orbit.back() == 1 ? 0 : 1000);
  };
  map_words(buffers, 0, 1, scalar_at(launch, 3), [&](uint32_t x) {
    const uint32_t total = steps(x);
    return total < 1000 ? total : total - steps(x + 1);
  });
}

std::vector<KernelInput> text_inputs() {
  std::vector<KernelInput> inputs;
  const auto add = [&](const std::string& name, const Words& text) {
    inputs.push_back({name, {buffer("text", text), output("out", 8)}});
  };
  for (const Array& array : small_arrays(64, 3)) {
    if (array.n == 64) add(array.name, array.words);
  }
  // An end in the middle of a line.
  Random random(12);
  add("ends", random.words_below(64, 4));
  add("all-ends", Words(64, 3));
  add("random-2", random.words_below(64, 3));
  return inputs;
}

void host_text(const Launch& launch, Buffers& buffers) {
  for (uint32_t line = 0; line < launch.block[0]; ++line) {
    std::string text;
    for (uint32_t i = 0; i < 8 && buffers[0][8 * line + i] != 3; ++i) {
      text += " a1"[buffers[0][8 * line + i]];
    }
    uint32_t words = 0, numbers = 0;
    size_t longest = 0;
    // Takes one token after the other off the front.
    for (size_t at = text.find_first_not_of(' '); at < text.size();
         at = text.find_first_not_of(' ', at)) {
      const bool word = text[at] == 'a';
      const size_t end = std::min(text.find_first_of(word ? " " : " a", at), text.size());
      if (word) {
        ++words;
        longest = std::max(longest, end - at);
      } else {
        ++numbers;
      }
      at = end;
      if (at == text.size()) break;
    }
    buffers[1][line] = words * 65536 + numbers * 256 + static_cast<uint32_t>(longest);
  }
}

std::vector<KernelInput> expression_inputs() {
  constexpr uint32_t kAdd = 256, kSubtract = 257, kMultiply = 258, kDouble = 259, kSwap = 260;
  std::vector<KernelInput> inputs;
  const auto add = [&](const std::string& name, Words tokens) {
    // Every thread gets the same expression with other numbers.
    tokens.resize(8, 999);
    Words all;
    for (uint32_t thread = 0; thread < 8; ++thread) {
      for (const uint32_t token : tokens) all.push_back(token < 200 ? token + thread : token);
    }
    inputs.push_back({name, {buffer("tokens", all), output("out", 8)}});
  };
  add("nothing", {});
  add("number", {42});
  add("sum", {1, 2, kAdd});
  add("difference", {1, 2, kSubtract});
  add("square", {7, kDouble, kMultiply});
  add("swapped-difference", {3, 8, kSwap, kSubtract});
  add("underflow", {5, kAdd, 3});
  add("underflow-at-once", {kDouble});
  add("deep", {1, 2, 3, 4, 5, 6, 7, 8});
  add("chain", {9, 8, 7, 6, kAdd, kMultiply, kSwap, kSubtract});
  Random random(260);
  for (const char* name : {"random-0", "random-1"}) {
    Words all = random.words_between(64, 253, 262);
    // Numbers first, so that most expressions get somewhere.
    for (size_t i = 0; i < all.size(); i += i % 8 == 2 ? 6 : 1) all[i] = random.below(256);
    inputs.push_back({name, {buffer("tokens", all), output("out", 8)}});
  }
  return inputs;
}

void host_expressions(const Launch& launch, Buffers& buffers) {
  for (uint32_t thread = 0; thread < launch.block[0]; ++thread) {
    std::vector<uint32_t> stack;
    const auto begin = buffers[0].begin() + 8 * thread;
    const auto end = std::find_if(begin, begin + 8, [](uint32_t token) { return token > 260; });
    for (auto token = begin; token != end; ++token) {
      const size_t size = stack.size();
      if (*token < 256) {
        stack.push_back(*token);
      } else if (size < (*token == 259 ? 1u : 2u)) {
        stack.clear();
        break;
      } else if (*token == 259) {
        stack.push_back(stack.back());
      } else if (*token == 260) {
        std::swap(stack[size - 1], stack[size - 2]);
      } else {
        const uint32_t right = stack.back();
        stack.pop_back();
        uint32_t& left = stack.back();
        left = *token == 256 ? left + right : *token == 257 ? left - right : left * right;
      }
    }
    buffers[1][thread] = stack.empty() ? 0xffffffff : stack.back();
  }
}

}  // namespace

std::vector<Kernel> control_kernels() {
  const std::string family = "control";
  return {
      {"nested_divergence",
       family,
       "branches in branches",
       {3, 1, 1},
       {8, 1, 1},
       0,
       nested_inputs,
       host_nested},
      {"early_exit",
       family,
       "threads that leave one by one",
       {3, 1, 1},
       {8, 1, 1},
       0,
       [] { return unary_inputs(24); },
       host_early_exit},
      {"switch_dispatch",
       family,
       "a switch over eight operations",
       {3, 1, 1},
       {8, 1, 1},
       0,
       switch_inputs,
       host_switch},
      {"loop_break_continue",
       family,
       "loops left and shortened",
       {3, 1, 1},
       {8, 1, 1},
       0,
       loop_inputs,
       host_loop},
      {"short_circuit",
       family,
       "conditions that guard memory accesses",
       {3, 1, 1},
       {8, 1, 1},
       0,
       link_inputs,
       host_links},
      {"do_while_digits",
       family,
       "decimal digits reversed",
       {3, 1, 1},
       {8, 1, 1},
       0,
       digit_inputs,
       host_digits},
      {"device_calls",
       family,
       "device functions that are really called",
       {2, 1, 1},
       {8, 1, 1},
       0,
       call_inputs,
       host_calls},
      {"state_machine",
       family,
       "words and numbers of a text",
       {1, 1, 1},
       {8, 1, 1},
       0,
       text_inputs,
       host_text},
      {"rpn_calculator",
       family,
       "reverse Polish notation on a local stack",
       {1, 1, 1},
       {8, 1, 1},
       0,
       expression_inputs,
       host_expressions},
  };
}

}  // namespace warplock::suites
