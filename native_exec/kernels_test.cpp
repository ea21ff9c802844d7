#include <algorithm>
#include <bit>
#include <numeric>

#include "native_exec/test_support.h"

/// Kernels of testdata/ against plain C++, at both widths of a warp.
namespace warplock::native_exec {
namespace {

class Kernels : public ::testing::TestWithParam<uint32_t> {
 protected:
  uint32_t width() const { return GetParam(); }
  /// Lanes of the warp that thread i of n is in.
  std::vector<uint32_t> warp_of(uint32_t i, uint32_t n) const {
    std::vector<uint32_t> threads;
    for (uint32_t t = i / width() * width(); t < std::min(n, (i / width() + 1) * width()); ++t) {
      threads.push_back(t);
    }
    return threads;
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, Kernels, ::testing::Values(4, 32), [](const auto& instance) {
  return "Lanes" + std::to_string(instance.param);
});

using Words = std::vector<uint32_t>;

TEST_P(Kernels, KnowWhereAThreadIs) {
  const auto out = KernelRun("places", "places")
                       .width(width())
                       .threads(3, 2, 2)
                       .blocks(2, 3, 2)
                       .buffer(Words(11 * 144))
                       .output(0);
  ASSERT_EQ(out.size(), 11u * 144);
  for (uint32_t block = 0; block < 12; ++block) {
    for (uint32_t thread = 0; thread < 12; ++thread) {
      const Words mine(out.begin() + 11 * (block * 12 + thread),
                       out.begin() + 11 * (block * 12 + thread) + 11);
      const uint32_t t = thread % 3 + 100 * (thread / 3 % 2) + 10000 * (thread / 6);
      const uint32_t b = block % 2 + 100 * (block / 2 % 3) + 10000 * (block / 6);
      EXPECT_EQ(mine, (Words{t, b, 3, 2, 2, 2, 3, 2, width(), thread % width(), block}));
    }
  }
}

TEST_P(Kernels, Shuffle) {
  // 50 threads: the last warp is not full.
  constexpr uint32_t kThreads = 50;
  const Words in = test_words(kThreads, 9);
  for (const uint32_t segment : {2u, 4u, 8u, 32u}) {
    if (segment > width()) continue;
    const auto out = KernelRun("warp", "shuffles")
                         .width(width())
                         .threads(kThreads)
                         .buffer(in)
                         .buffer(Words(kThreads * 8))
                         .scalar(segment)
                         .output(1);
    ASSERT_EQ(out.size(), kThreads * 8u);
    for (uint32_t i = 0; i < kThreads; ++i) {
      const uint32_t begin = i / segment * segment, end = begin + segment;
      // A source outside the segment gives the thread's own value, as does a lane that is not
      // there; xor may reach into earlier segments (CUDA C++ Programming Guide, warp shuffle
      // functions).
      const auto from = [&](int64_t source, int64_t least) {
        const bool in_range = source >= least && source < end && source < kThreads;
        return in[in_range ? static_cast<size_t>(source) : i];
      };
      const int64_t self = i;
      const auto expect = [&](uint32_t k, uint32_t value) {
        EXPECT_EQ(out[k * kThreads + i], value) << "function " << k << ", thread " << i;
      };
      expect(0, from(begin + in[i] % segment, begin));
      expect(1, from(self - 1, begin));
      expect(2, from(self - 2, begin));
      expect(3, from(self + 1, begin));
      expect(4, from(self + in[i] % 4, begin));
      expect(5, from(self ^ 1, 0));
      expect(6, from(self ^ 2, 0));
      const uint32_t other = from(begin + 1, begin);
      expect(7, (~other << 16) | (other >> 16));
    }
  }
}

TEST_P(Kernels, VoteAndMatch) {
  constexpr uint32_t kThreads = 46;
  for (const uint32_t seed : {5u, 6u, 7u}) {
    Words in = test_words(kThreads, seed);
    if (seed == 7) std::fill(in.begin(), in.end(), 2001);
    const auto out = KernelRun("warp", "votes")
                         .width(width())
                         .threads(kThreads)
                         .buffer(in)
                         .buffer(Words(kThreads * 12))
                         .output(1);
    ASSERT_EQ(out.size(), kThreads * 12u);
    for (uint32_t i = 0; i < kThreads; ++i) {
      const auto warp = warp_of(i, kThreads);
      const auto mask_where = [&](auto&& predicate) {
        uint32_t mask = 0;
        for (const uint32_t t : warp) {
          if (predicate(in[t])) mask |= 1u << (t % width());
        }
        return mask;
      };
      const uint32_t all = mask_where([](uint32_t) { return true; });
      const uint32_t odd = mask_where([](uint32_t x) { return x % 2 == 1; });
      const uint32_t big = mask_where([](uint32_t x) { return x > 1000; });
      const auto expect = [&](uint32_t k, uint32_t value) {
        EXPECT_EQ(out[k * kThreads + i], value) << "function " << k << ", thread " << i;
      };
      expect(0, odd);
      expect(1, mask_where([](uint32_t x) { return x % 32 == 7; }) != 0);
      expect(2, mask_where([](uint32_t x) { return x != 0; }) == all);
      expect(3, big == 0 || big == all);
      expect(4, mask_where([&](uint32_t x) { return x % 2 == in[i] % 2; }));
      expect(5, mask_where([&](uint32_t x) { return x % 4 == in[i] % 4; }));
      expect(6, odd == 0 || odd == all ? all : 0);
      expect(7, odd == 0 || odd == all);
      expect(8, all);
      expect(9, 1);
      expect(10, all);
      expect(11, in[i] % 2 == 1 ? odd : 0);
    }
  }
}

TEST_P(Kernels, Reduce) {
  constexpr uint32_t kThreads = 70;
  const Words in = test_words(kThreads, 21);
  const auto out = KernelRun("warp", "reductions")
                       .width(width())
                       .threads(kThreads)
                       .buffer(in)
                       .buffer(Words(kThreads * 8))
                       .output(1);
  ASSERT_EQ(out.size(), kThreads * 8u);
  for (uint32_t i = 0; i < kThreads; ++i) {
    Words values;
    for (const uint32_t t : warp_of(i, kThreads)) values.push_back(in[t]);
    const auto by_sign = [](uint32_t x, uint32_t y) {
      return static_cast<int32_t>(x) < static_cast<int32_t>(y);
    };
    const auto fold = [&](auto&& function) {
      return std::accumulate(values.begin() + 1, values.end(), values[0], function);
    };
    const Words expected = {
        fold(std::plus<uint32_t>()),
        *std::min_element(values.begin(), values.end()),
        *std::max_element(values.begin(), values.end()),
        *std::min_element(values.begin(), values.end(), by_sign),
        *std::max_element(values.begin(), values.end(), by_sign),
        fold(std::bit_and<uint32_t>()),
        fold(std::bit_or<uint32_t>()),
        fold(std::bit_xor<uint32_t>()),
    };
    for (uint32_t k = 0; k < 8; ++k) EXPECT_EQ(out[k * kThreads + i], expected[k]) << k << " " << i;
  }
}

TEST_P(Kernels, WorkInGroupsOfLanes) {
  constexpr uint32_t kThreads = 64;
  const Words in = test_words(kThreads, 33);
  const auto out = KernelRun("warp", "groups")
                       .width(width())
                       .threads(kThreads)
                       .buffer(in)
                       .buffer(Words(kThreads))
                       .output(1);
  ASSERT_EQ(out.size(), kThreads);
  for (uint32_t i = 0; i < kThreads; ++i) {
    uint32_t odd = 0, even = 0;
    for (const uint32_t t : warp_of(i, kThreads)) {
      if (t % 2 == 1) odd += in[t];
      if (t % 2 == 0) even = even * 3 + in[t];
    }
    EXPECT_EQ(out[i], i % 2 == 1 ? odd : even);
  }
}

TEST_P(Kernels, ApplyAtomics) {
  constexpr uint32_t kThreads = 40;
  const Words before = {10, 20, 30, 3, 3, 40, 5, 0, 3, ~0u, 0, 99, 0, 3, ~0u, 0};
  Words after = before;
  uint64_t sum = 0xfffffff0, most = 7;
  for (uint32_t i = 0; i < kThreads; ++i) {
    after[0] += i + 1;
    after[1] -= i + 1;
    after[2] += 1;
    after[3] = static_cast<uint32_t>(std::min(static_cast<int>(after[3]), 5 - static_cast<int>(i)));
    after[4] = static_cast<uint32_t>(std::max(static_cast<int>(after[4]), static_cast<int>(i) - 5));
    after[5] = std::min(after[5], i + 3);
    after[6] = std::max(after[6], i * 7);
    after[7] = after[7] >= 5 ? 0 : after[7] + 1;
    after[8] = after[8] == 0 || after[8] > 5 ? 5 : after[8] - 1;
    after[9] &= ~(1u << (i % 32));
    after[10] |= 1u << (i % 32);
    after[11] ^= i * 0x1234567;
    after[12] = after[12] == i ? i + 1 : after[12];
    after[13] = std::max(after[13], 0x80000000u + i);
    after[14] = std::min(after[14], 0x90000000u - i);
    after[15] = 77;
    sum += 0x100000001;
    most = std::max(most, 0x8000000000000000 + i);
  }
  auto execution = KernelRun("atomics", "atomics")
                       .width(width())
                       .threads(kThreads)
                       .buffer(before)
                       .buffer(Words(kThreads))
                       .buffer({0xfffffff0, 0, 7, 0})
                       .execution();
  ASSERT_EQ(execution.outputs.size(), 3u);
  // Cell 12 depends on the order of threads, which is free: it is what some order gives.
  EXPECT_LE(execution.outputs[0].second[12], kThreads);
  execution.outputs[0].second[12] = after[12];
  EXPECT_EQ(execution.outputs[0].second, after);
  Words old = execution.outputs[1].second;
  std::sort(old.begin(), old.end());
  for (uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(old[i], 30 + i);
  EXPECT_EQ(execution.outputs[2].second,
            (Words{static_cast<uint32_t>(sum), static_cast<uint32_t>(sum >> 32),
                   static_cast<uint32_t>(most), static_cast<uint32_t>(most >> 32)}));
}

TEST_P(Kernels, ShareMemoryAcrossBarriers) {
  constexpr uint32_t kThreads = 37, kBlocks = 3;
  const Words in = test_words(kThreads * kBlocks, 41);
  const auto out = KernelRun("sync", "reverse")
                       .width(width())
                       .threads(kThreads)
                       .blocks(kBlocks)
                       .shared(kThreads * 4)
                       .buffer(in)
                       .buffer(Words(in.size()))
                       .output(1);
  ASSERT_EQ(out.size(), in.size());
  static constexpr uint32_t kFactors[] = {3, 5, 7, 11};
  for (uint32_t i = 0; i < in.size(); ++i) {
    const uint32_t other = kThreads - 1 - i % kThreads;
    EXPECT_EQ(out[i], in[i / kThreads * kThreads + other] * (1 + kFactors[other & 3]));
  }
}

TEST_P(Kernels, CountAtBarriers) {
  for (const uint32_t fill : {0u, 1u, 4u}) {
    Words in(45, 1);
    in[17] = fill;
    const auto out = KernelRun("sync", "barrier_counts")
                         .width(width())
                         .threads(45)
                         .buffer(in)
                         .buffer(Words(135))
                         .output(1);
    for (uint32_t i = 0; i < 45; ++i) {
      EXPECT_EQ(out[i], 44 + fill % 2);
      EXPECT_EQ(out[45 + i], fill != 0 ? 1u : 0u);
      EXPECT_EQ(out[90 + i], fill == 4 ? 1u : 0u);
    }
  }
}

TEST_P(Kernels, MeetWithoutThoseThatLeft) {
  const auto out = KernelRun("sync", "early_exit")
                       .width(width())
                       .threads(41)
                       .buffer(Words(41))
                       .scalar(7)
                       .output(0);
  for (uint32_t i = 0; i < 41; ++i) EXPECT_EQ(out[i], i < 7 ? 21u : 0u);
}

TEST_P(Kernels, MakeProgressAtASpinLock) {
  const auto out =
      KernelRun("sync", "spin_lock").width(width()).threads(32).blocks(2).buffer({0}).output(0);
  uint32_t expected = 0;
  for (int i = 0; i < 64; ++i) expected = expected * 3 + 1;
  EXPECT_EQ(out, Words{expected});
}

TEST_P(Kernels, WaitForAFlag) {
  EXPECT_EQ(KernelRun("sync", "flag").width(width()).threads(64).buffer({0, 0}).output(0),
            (Words{41, 42}));
}

TEST_P(Kernels, BeginWithFreshVariables) {
  for (int launch = 0; launch < 3; ++launch) {
    EXPECT_EQ(KernelRun("sync", "count_turns").width(width()).threads(20).buffer({0}).output(0),
              Words{20});
  }
}

TEST_P(Kernels, CallFunctions) {
  const Words in = {1, 2, 3, 7, 27, 97, 6, 12};
  const auto out =
      KernelRun("values", "calls").width(width()).threads(8).buffer(in).buffer(Words(8)).output(1);
  const Words steps = {0, 1, 7, 16, 111, 118, 8, 9}, fibonacci = {1, 1, 2, 13, 2, 1, 8, 3};
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], steps[i] * 1000 + fibonacci[i]);
}

TEST_P(Kernels, TakeScalarsOfEverySize) {
  const auto out = KernelRun("values", "scalars")
                       .width(width())
                       .buffer(Words(5))
                       .scalar(0x80, 1)
                       .scalar(0xfedc, 2)
                       .scalar(0x80000001, 4)
                       .scalar(0xfedcba9876543210, 8)
                       .scalar(0x0123456789abcdef, 8)
                       .output(0);
  EXPECT_EQ(out, (Words{0xffffff80, 0xfedc, 0x80000001, 0xfedcba98, 0x01234567}));
}

TEST_P(Kernels, AccessEveryWidth) {
  const auto execution = KernelRun("values", "widths")
                             .width(width())
                             .threads(9)
                             .buffer(Words(36))
                             .buffer(Words(36))
                             .execution();
  ASSERT_EQ(execution.outputs.size(), 2u);
  for (uint32_t i = 0; i < 9; ++i) {
    const uint32_t words[4] = {(i + 1) | ((i + 0x1000) << 16), 0, 0x9abcdef0 + i, 0x12345678};
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8; ++k) sum = sum * 5 + words[(k * 3 + i) % 8 % 4];
    const Words got(execution.outputs[0].second.begin() + 4 * i,
                    execution.outputs[0].second.begin() + 4 * i + 4);
    EXPECT_EQ(got, (Words{words[0], sum, words[2], words[3]}));
    const Words vector(execution.outputs[1].second.begin() + 4 * i,
                       execution.outputs[1].second.begin() + 4 * i + 4);
    EXPECT_EQ(vector, (Words{i, 2 * i, 3 * i, 4 * i}));
  }
}

TEST_P(Kernels, BranchOnData) {
  const Words in = test_words(60, 51);
  const auto out = KernelRun("values", "shifts")
                       .width(width())
                       .threads(60)
                       .buffer(in)
                       .buffer(Words(60))
                       .output(1);
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t x = in[i];
    const uint32_t results[] = {x << 3, x >> 2, static_cast<uint32_t>(static_cast<int32_t>(x) >> 4),
                                x * x,  x / 7,  ~x};
    EXPECT_EQ(out[i], results[x % 6]);
  }
}

TEST_P(Kernels, LookUpInATable) {
  const Words in = {0, 1, 2, 3, 4, 5, 6, 7, ~0u};
  EXPECT_EQ(
      KernelRun("values", "lookup").width(width()).threads(9).buffer(in).buffer(Words(9)).output(1),
      (Words{3, 1, 4, 1, 5, 9, 2, 3, 1}));
}

TEST_P(Kernels, DivideWhereX86Cannot) {
  const auto divide = [&](uint32_t a, uint32_t b) {
    return KernelRun("values", "divisions")
        .width(width())
        .buffer({a})
        .buffer({b})
        .buffer(Words(6))
        .output(2);
  };
  EXPECT_EQ(divide(7, 0), (Words{~0u, 7, ~0u, 7, ~0u, 5}));
  EXPECT_EQ(divide(0x80000000, ~0u), (Words{0x80000000, 0, 0, 0x80000000, 0, 0}));
  EXPECT_EQ(divide(static_cast<uint32_t>(-7), 2),
            (Words{static_cast<uint32_t>(-3), static_cast<uint32_t>(-1), 0x7ffffffc, 1, 0x80000000,
                   static_cast<uint32_t>(-1)}));
}

TEST_P(Kernels, Divide128Bits) {
  const auto out = KernelRun("wide", "wide_division").width(width()).buffer({5, 7}).output(0);
  // With d = 7 * 2^32 + 7: (d - 2) * 2^40 / d = 2^40 - 2^41 / d, and 2^41 / d is 73 and a bit.
  EXPECT_EQ(out, (Words{0xffffffff - 73, 0xff}));
}

TEST_P(Kernels, ShiftByMoreThanTheWidth) {
  for (const uint32_t by : {0u, 5u, 31u, 32u, 33u, 64u, ~0u}) {
    const uint32_t x = 0x90000001;
    const auto out = KernelRun("values", "long_shifts")
                         .width(width())
                         .buffer({x})
                         .buffer({by})
                         .buffer(Words(3))
                         .output(2);
    const bool over = by > 31;
    const auto arithmetic = static_cast<uint32_t>(static_cast<int32_t>(x) >> (over ? 31 : by));
    EXPECT_EQ(out, (Words{over ? 0 : x << by, over ? 0 : x >> by, arithmetic})) << by;
  }
}

TEST_P(Kernels, GiveTheSameTraceTwice) {
  KernelRun run("warp", "groups");
  run.width(width()).threads(64).buffer(test_words(64, 2)).buffer(Words(64));
  const auto first = run.execution(), second = run.execution();
  EXPECT_EQ(first.trace.events, second.trace.events);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_FALSE(first.trace.events.empty());
}

}  // namespace
}  // namespace warplock::native_exec
