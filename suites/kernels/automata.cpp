#include <algorithm>
#include <numeric>

#include "suites/kernels/inputs.h"

namespace warplock::suites {
namespace {

using executor::Launch;

std::vector<KernelInput> life_inputs() {
  const auto input = [](const char* name, const Words& cells, uint32_t steps) {
    return KernelInput{name, {buffer("cells", cells), scalar("steps", steps)}};
  };
  const auto board = [](const std::vector<uint32_t>& alive) {
    Words cells(30, 0);
    for (const uint32_t cell : alive) cells[cell] = 1;
    return cells;
  };
  Random random(30);
  return {
      input("empty", Words(30, 0), 2),
      input("full", Words(30, 1), 2),
      input("no-steps", random.words_below(30, 2), 0),
      input("blinker", board({8, 14, 20}), 3),
      input("block", board({7, 8, 13, 14}), 2),
      input("glider", board({1, 8, 12, 13, 14}), 8),
      input("over-the-edge", board({0, 5, 24, 29}), 1),
      input("single", board({17}), 1),
      input("random-0", random.words_below(30, 2), 4),
      input("random-1", random.words_below(30, 2), 7),
  };
}

void host_life(const Launch& launch, Buffers& buffers) {
  const int width = static_cast<int>(launch.block[0]), height = static_cast<int>(launch.block[1]);
  for (uint32_t step = 0; step < scalar_at(launch, 1); ++step) {
    const Words old = buffers[0];
    for (int cell = 0; cell < width * height; ++cell) {
      uint32_t around = 0;
      for (int k = 0; k < 9; ++k) {
        const int x = (cell % width + width + k % 3 - 1) % width;
        const int y = (cell / width + height + k / 3 - 1) % height;
        around += old[static_cast<size_t>(y * width + x)];
      }
      // `around` counts the cell itself: 3 makes alive, 4 keeps, all else kills.
      uint32_t& now = buffers[0][static_cast<size_t>(cell)];
      if (around != 4) now = around == 3;
    }
  }
}

/// Cells (as words of 0 and 1) after one step of the elementary automaton `rule` on a ring.
Words elementary_step(const Words& cells, uint32_t rule) {
  Words next(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    const uint32_t left = cells[(i + cells.size() - 1) % cells.size()];
    const uint32_t right = cells[(i + 1) % cells.size()];
    next[i] = rule >> (4 * left + 2 * cells[i] + right) & 1;
  }
  return next;
}

std::vector<KernelInput> rule_30_inputs() {
  return inputs_from(small_arrays(24, 2), [](const Array& array, Random& random) {
    Words cells = array.words;
    if (array.name == "partial") {
      std::fill(cells.begin(), cells.end(), 0);
      cells[12] = 1;
    }
    const uint32_t steps = array.name == "empty" ? 0 : 1 + random.below(12);
    return std::vector<executor::Argument>{buffer("in", cells), output("out", 24),
                                           scalar("steps", steps)};
  });
}

void host_rule_30(const Launch& launch, Buffers& buffers) {
  buffers[1] = buffers[0];
  for (uint32_t step = 0; step < scalar_at(launch, 2); ++step) {
    buffers[1] = elementary_step(buffers[1], 30);
  }
}

std::vector<KernelInput> rule_110_inputs() {
  return inputs_from(corner_arrays(16), [](const Array& array, Random& random) {
    return std::vector<executor::Argument>{buffer("rings", array.words),
                                           scalar("steps", random.below(20)), scalar("n", array.n)};
  });
}

void host_rule_110(const Launch& launch, Buffers& buffers) {
  map_words(buffers, 0, 0, scalar_at(launch, 2), [&](uint32_t ring) {
    // The highest bit is the leftmost cell.
    Words cells(32);
    for (uint32_t i = 0; i < 32; ++i) cells[i] = ring >> (31 - i) & 1;
    for (uint32_t step = 0; step < scalar_at(launch, 1); ++step) {
      cells = elementary_step(cells, 110);
    }
    return std::accumulate(cells.begin(), cells.end(), 0u,
                           [](uint32_t word, uint32_t cell) { return 2 * word + cell; });
  });
}

/// The automaton that accepts the binary numbers divisible by `divisor` <= 8.
Words divisibility(uint32_t divisor) {
  Words next(16, 0);
  for (uint32_t i = 0; i < 2 * divisor; ++i) next[i] = i % divisor;
  return next;
}

std::vector<KernelInput> dfa_inputs() {
  return inputs_from(corner_arrays(24), [](const Array& array, Random& random) {
    Words next = divisibility(1 + random.below(8));
    uint32_t accepting = 1;
    if (array.name == "random-small" || array.name == "ascending") {
      next = random.words_below(16, 8);
      accepting = random.below(256);
    }
    const uint32_t lengths[] = {0, 1, 7, 31, 32};
    return std::vector<executor::Argument>{buffer("next", next),
                                           buffer("words", array.words),
                                           output("accepted", 24),
                                           scalar("accepting", accepting),
                                           scalar("length", lengths[random.below(5)]),
                                           scalar("n", array.n)};
  });
}

void host_dfa(const Launch& launch, Buffers& buffers) {
  for (uint32_t i = 0; i < scalar_at(launch, 5); ++i) {
    std::string bits;
    for (int bit = 31; bit >= 0; --bit) bits += buffers[1][i] >> bit & 1 ? '1' : '0';
    uint32_t state = 0;
    for (const char bit : bits.substr(32 - scalar_at(launch, 4))) {
      state = buffers[0][2 * state + (bit == '1')];
    }
    buffers[2][i] = scalar_at(launch, 3) >> state & 1;
  }
}

std::vector<KernelInput> ant_inputs() {
  std::vector<KernelInput> inputs;
  Random random(5);
  for (const uint32_t steps : {0, 1, 2, 4, 11, 30, 77, 100}) {
    Words boards = steps % 2 == 0 ? Words(50, 0) : random.words_below(50, 2);
    Words ants{2, 2, 0, random.below(5), random.below(5), random.below(4)};
    inputs.push_back({"steps-" + std::to_string(steps),
                      {buffer("boards", boards), buffer("ants", ants), scalar("steps", steps)}});
  }
  return inputs;
}

void host_ant(const Launch& launch, Buffers& buffers) {
  const uint32_t go_x[] = {0, 1, 0, 4}, go_y[] = {4, 0, 1, 0};
  for (uint32_t ant = 0; ant < launch.block[0]; ++ant) {
    uint32_t& x = buffers[1][3 * ant];
    uint32_t& y = buffers[1][3 * ant + 1];
    uint32_t& direction = buffers[1][3 * ant + 2];
    for (uint32_t step = 0; step < scalar_at(launch, 2); ++step) {
      uint32_t& cell = buffers[0][25 * ant + 5 * y + x];
      direction = (direction + (cell == 0 ? 1 : 3)) % 4;
      cell ^= 1;
      x = (x + go_x[direction]) % 5;
      y = (y + go_y[direction]) % 5;
    }
  }
}

std::vector<KernelInput> sandpile_inputs() {
  std::vector<KernelInput> inputs =
      inputs_from(small_arrays(16, 9), [](const Array& array, Random&) {
        return std::vector<executor::Argument>{buffer("grains", array.words)};
      });
  Words one(16, 0);
  one[5] = 60;
  inputs.push_back({"one-heap", {buffer("grains", one)}});
  return inputs;
}

void host_sandpile(const Launch&, Buffers& buffers) {
  // One cell topples at a time; the order does not matter.
  Words& grains = buffers[0];
  for (;;) {
    const auto high = std::find_if(grains.begin(), grains.end(), [](uint32_t g) { return g > 3; });
    if (high == grains.end()) return;
    const auto cell = static_cast<size_t>(high - grains.begin());
    *high -= 4;
    if (cell % 4 > 0) ++grains[cell - 1];
    if (cell % 4 < 3) ++grains[cell + 1];
    if (cell >= 4) ++grains[cell - 4];
    if (cell < 12) ++grains[cell + 4];
  }
}

}  // namespace

std::vector<Kernel> automata_kernels() {
  const std::string family = "automata";
  return {
      {"life",
       family,
       "Conway's Game of Life on a torus",
       {1, 1, 1},
       {6, 5, 1},
       0,
       life_inputs,
       host_life},
      {"rule_30",
       family,
       "elementary automaton 30, a cell a thread",
       {1, 1, 1},
       {24, 1, 1},
       0,
       rule_30_inputs,
       host_rule_30},
      {"rule_110",
       family,
       "elementary automaton 110, a cell a bit",
       {2, 1, 1},
       {8, 1, 1},
       0,
       rule_110_inputs,
       host_rule_110},
      {"dfa_acceptor",
       family,
       "finite automaton over bits",
       {3, 1, 1},
       {8, 1, 1},
       0,
       dfa_inputs,
       host_dfa},
      {"langton_ant",
       family,
       "Langton's ant on a torus",
       {1, 1, 1},
       {2, 1, 1},
       0,
       ant_inputs,
       host_ant},
      {"sandpile",
       family,
       "abelian sandpile until it rests",
       {1, 1, 1},
       {4, 4, 1},
       0,
       sandpile_inputs,
       host_sandpile},
  };
}

}  // namespace warplock::suites
