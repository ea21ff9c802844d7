#include "suites/kernels/inputs.h"

#include <algorithm>
#include <numeric>

namespace warplock::suites {

uint32_t Random::next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 17;
  state_ ^= state_ << 5;
  return state_;
}

uint32_t Random::between(int32_t low, int32_t high) {
  const int64_t span = int64_t{high} - low + 1;
  return as_word(low + static_cast<int64_t>(next() % static_cast<uint64_t>(span)));
}

Words Random::words(size_t count) {
  Words words(count);
  for (uint32_t& word : words) word = next();
  return words;
}

Words Random::words_below(size_t count, uint32_t bound) {
  Words words(count);
  for (uint32_t& word : words) word = below(bound);
  return words;
}

Words Random::words_between(size_t count, int32_t low, int32_t high) {
  Words words(count);
  for (uint32_t& word : words) word = between(low, high);
  return words;
}

executor::Argument buffer(std::string name, Words words) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.is_buffer = true;
  argument.words = std::move(words);
  return argument;
}

executor::Argument scalar(std::string name, uint32_t value) {
  executor::Argument argument;
  argument.name = std::move(name);
  argument.scalar = value;
  argument.scalar_bytes = 4;
  return argument;
}

executor::Argument output(std::string name, size_t words) {
  return buffer(std::move(name), Words(words, 0xa5));
}

executor::Argument zeros(std::string name, size_t words) {
  return buffer(std::move(name), Words(words, 0));
}

namespace {

Words repeated(const Words& pattern, size_t count) {
  Words words(count);
  for (size_t i = 0; i < count; ++i) words[i] = pattern[i % pattern.size()];
  return words;
}

Words ascending(size_t count, uint32_t first, uint32_t step) {
  Words words(count);
  for (size_t i = 0; i < count; ++i) words[i] = first + static_cast<uint32_t>(i) * step;
  return words;
}

Words reversed(Words words) {
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace

std::vector<Array> corner_arrays(size_t count) {
  const auto n = static_cast<uint32_t>(count);
  Words powers;
  for (uint32_t bit = 0; bit < 32; bit += 5) {
    powers.insert(powers.end(), {(1u << bit) - 1, 1u << bit, (1u << bit) + 1});
  }
  const Words extremes{0x80000000, 0x7fffffff, 0, 1, 0xffffffff, 0x80000001, 0x7ffffffe};
  Random random(2024);
  return {
      {"zeros", Words(count, 0), n},
      {"minus-ones", Words(count, 0xffffffff), n},
      {"extremes", repeated(extremes, count), n},
      {"powers-of-two", repeated(powers, count), n},
      {"ascending", ascending(count, as_word(-static_cast<int64_t>(count / 2)), 1), n},
      {"descending", reversed(ascending(count, 1, 0x01020304)), n},
      {"empty", random.words(count), 0},
      {"single", random.words(count), 1},
      {"partial", random.words(count), n - 3},
      {"random-full", random.words(count), n},
      {"random-small", random.words_between(count, -4, 4), n},
  };
}

std::vector<Array> small_arrays(size_t count, uint32_t bound) {
  const auto n = static_cast<uint32_t>(count);
  Words up = ascending(count, 0, 1);
  for (uint32_t& word : up) word %= bound;
  Random random(1889);
  return {
      {"zeros", Words(count, 0), n},
      {"greatest", Words(count, bound - 1), n},
      {"alternating", repeated({0, bound - 1}, count), n},
      {"ascending", up, n},
      {"descending", reversed(up), n},
      {"empty", random.words_below(count, bound), 0},
      {"single", random.words_below(count, bound), 1},
      {"partial", random.words_below(count, bound), n - 3},
      {"random-0", random.words_below(count, bound), n},
      {"random-1", random.words_below(count, std::min(bound, 5u)), n},
  };
}

Words shuffled(const Words& words) {
  Words result = words;
  const auto third = static_cast<std::ptrdiff_t>(result.size() / 3);
  std::rotate(result.begin(), result.begin() + third, result.end());
  for (size_t i = 0; i + 1 < result.size(); i += 2) std::swap(result[i], result[i + 1]);
  return result;
}

Words sorted_as_signed(Words words) {
  std::sort(words.begin(), words.end(),
            [](uint32_t a, uint32_t b) { return as_signed(a) < as_signed(b); });
  return words;
}

std::vector<int32_t> signed_prefix(const Words& words, size_t n) {
  std::vector<int32_t> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = as_signed(words[i]);
  return values;
}

std::vector<KernelInput> unary_inputs(size_t count) {
  return inputs_from(corner_arrays(count), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("in", array.words),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

std::vector<KernelInput> binary_inputs(size_t count) {
  return inputs_from(corner_arrays(count), [](const Array& array, Random&) {
    return std::vector<executor::Argument>{buffer("a", array.words),
                                           buffer("b", shuffled(array.words)),
                                           output("out", array.words.size()), scalar("n", array.n)};
  });
}

}  // namespace warplock::suites
