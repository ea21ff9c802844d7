#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "reference_interp/random.h"
#include "reference_interp/test_support.h"

/// shfl, vote, match and redux, against the formulas of the ISA written lane by lane. In each warp
/// some lanes have exited, the others form two groups with member masks of their own, the last warp
/// is not full, and masks name absent lanes too.
namespace warplock::reference_interp {
namespace {

using namespace testing;

struct Thread {
  uint32_t value = 0, b = 0, c = 0, mask = 0;
  bool absent = false;
};
/// What a thread must find: two words, or nothing where the ISA leaves the result open.
struct Result {
  uint32_t first = 0, second = 0;
  bool defined = true;
};

class WarpOps : public ::testing::TestWithParam<uint32_t> {
 protected:
  /// Sees the threads of one warp; gives what lane `lane` must find.
  using Formula = std::function<Result(const std::vector<Thread>& warp, uint32_t lane)>;

  static uint32_t width() { return GetParam(); }

  static std::vector<Thread> threads_of(uint32_t count, uint32_t values, Random& random) {
    std::vector<Thread> threads(count);
    for (uint32_t first = 0; first < count; first += width()) {
      const uint32_t lanes = std::min(width(), count - first);
      uint32_t group[2] = {0, 0};
      std::vector<uint32_t> chosen(lanes);
      const bool split = random.below(2) == 0;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        Thread& thread = threads[first + lane];
        thread.value = values == 0 ? static_cast<uint32_t>(random.next()) : random.below(values);
        thread.b = random.below(6) == 0 ? random.below(64) : random.below(width());
        constexpr uint32_t kClamps[] = {0x1f,   0x00, 0x1c1f, 0x1e1f, 0x1c00,
                                        0x1e00, 0x1f, 0x03,   0x101};
        thread.c = kClamps[random.below(std::size(kClamps))];
        thread.absent = random.below(5) == 0;
        chosen[lane] = split ? random.below(2) : 0;
        if (!thread.absent) group[chosen[lane]] |= 1u << lane;
      }
      // Bits of lanes that have exited or never existed say nothing; all lanes of a group must
      // give the same mask.
      uint32_t absent = ~(group[0] | group[1]);
      const uint32_t extra[2] = {static_cast<uint32_t>(random.next()) & absent,
                                 static_cast<uint32_t>(random.next()) & absent};
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        threads[first + lane].mask = group[chosen[lane]] | extra[chosen[lane]];
      }
    }
    return threads;
  }

  /// `body` computes %r9 and %r10 from %r1 (value), %r2 (b), %r3 (c) and %r4 (mask).
  static void check(const std::string& body, uint32_t values, const Formula& formula) {
    const std::string ptx = kernel_of(
        2, fmt::format("mul.wide.u32 %rd10, %tid_, 32;\nadd.u64 %rd10, %rd0, %rd10;\n"
                       "mul.wide.u32 %rd11, %tid_, 8;\nadd.u64 %rd11, %rd1, %rd11;\n"
                       "ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%rd10];\n"
                       "ld.global.v2.u32 {{%r5, %r6}}, [%rd10+16];\nsetp.ne.u32 %p10, %r5, 0;\n"
                       "@%p10 exit;\nsetp.ne.u32 %p11, %r6, 0;\n{}\n"
                       "@!%p11 exit;\nst.global.v2.u32 [%rd11], {{%r9, %r10}};",
                       body));
    for (uint64_t seed = 0; seed < 24; ++seed) {
      Random random(seed * 31 + values);
      constexpr uint32_t kThreads = 110;
      const std::vector<Thread> threads = threads_of(kThreads, values, random);
      std::vector<Result> expected(kThreads);
      std::vector<uint32_t> in, want;
      for (uint32_t i = 0; i < kThreads; ++i) {
        const uint32_t first = i / width() * width();
        const std::vector<Thread> warp(
            threads.begin() + first,
            threads.begin() + std::min<uint32_t>(kThreads, first + width()));
        const Thread& thread = threads[i];
        const Result result = thread.absent ? Result{0, 0, false} : formula(warp, i - first);
        in.insert(in.end(), {thread.value, thread.b, thread.c, thread.mask, thread.absent ? 1u : 0u,
                             result.defined ? 1u : 0u, 0, 0});
        want.insert(want.end(),
                    {result.defined ? result.first : 77, result.defined ? result.second : 77});
      }
      Options options;
      options.seed = seed;
      options.permute_schedule = seed % 2 == 1;
      const auto launch =
          launch_of(width(), kThreads,
                    {buffer("in", in), buffer("out", std::vector<uint32_t>(2 * kThreads, 77))});
      ASSERT_EQ(output_of(completes(ptx, launch, trace::Level::kOff, options), "out"), want)
          << body << "\nseed " << seed;
    }
  }

  /// The lanes that lane takes part with.
  static std::vector<uint32_t> group_of(const std::vector<Thread>& warp, uint32_t lane) {
    std::vector<uint32_t> group;
    for (uint32_t other = 0; other < warp.size(); ++other) {
      if (!warp[other].absent && (warp[lane].mask >> other & 1) != 0) group.push_back(other);
    }
    return group;
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, WarpOps, ::testing::Values(4u, 32u),
                         [](const auto& tested) { return fmt::format("w{}", tested.param); });

TEST_P(WarpOps, Shuffle) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    check(
        fmt::format("shfl.sync.{}.b32 %r7|%p1, %r1, %r2, %r3, %r4;\nselp.u32 %r10, 1, 0, %p1;\n"
                    "mov.u32 %r9, %r7;",
                    mode),
        0, [&](const std::vector<Thread>& warp, uint32_t lane) {
          // PTX ISA 9.7.9.6.
          const int l = static_cast<int>(lane);
          const int bval = static_cast<int>(warp[lane].b & 31);
          const int cval = static_cast<int>(warp[lane].c & 31);
          const int segmask = static_cast<int>(warp[lane].c >> 8 & 31);
          const int max_lane = (l & segmask) | (cval & ~segmask);
          const int min_lane = l & segmask;
          int j = 0;
          bool p = false;
          if (mode == "up") {
            j = l - bval;
            p = j >= max_lane;
          } else if (mode == "down") {
            j = l + bval;
            p = j <= max_lane;
          } else if (mode == "bfly") {
            j = l ^ bval;
            p = j <= max_lane;
          } else {
            j = min_lane | (bval & ~segmask);
            p = j <= max_lane;
          }
          if (!p) j = l;
          const auto group = group_of(warp, lane);
          const bool there =
              std::find(group.begin(), group.end(), static_cast<uint32_t>(j)) != group.end();
          return there ? Result{warp[static_cast<size_t>(j)].value, p, true} : Result{0, 0, false};
        });
  }
}

TEST_P(WarpOps, Vote) {
  const auto counted = [](const std::vector<Thread>& warp, const std::vector<uint32_t>& group) {
    return std::count_if(group.begin(), group.end(),
                         [&](uint32_t l) { return warp[l].value != 0; });
  };
  for (uint32_t values : {2u, 20u, 1u}) {  // now and then all alike
    check(
        "setp.ne.u32 %p1, %r1, 0;\nvote.sync.ballot.b32 %r9, %p1, %r4;\n"
        "vote.sync.ballot.b32 %r10, !%p1, %r4;",
        values, [&](const std::vector<Thread>& warp, uint32_t lane) {
          Result result;
          for (uint32_t other : group_of(warp, lane)) {
            (warp[other].value != 0 ? result.first : result.second) |= 1u << other;
          }
          return result;
        });
    check(
        "setp.ne.u32 %p1, %r1, 0;\nvote.sync.all.pred %p2, %p1, %r4;\n"
        "vote.sync.any.pred %p3, %p1, %r4;\nvote.sync.uni.pred %p4, %p1, %r4;\n"
        "selp.u32 %r9, 1, 0, %p2;\nselp.u32 %r10, 2, 0, %p3;\nadd.u32 %r9, %r9, %r10;\n"
        "selp.u32 %r10, 1, 0, %p4;",
        values, [&](const std::vector<Thread>& warp, uint32_t lane) {
          const auto group = group_of(warp, lane);
          const auto yes = counted(warp, group);
          const auto size = static_cast<std::ptrdiff_t>(group.size());
          return Result{(yes == size ? 1u : 0u) + (yes != 0 ? 2u : 0u),
                        yes == size || yes == 0 ? 1u : 0u, true};
        });
  }
}

TEST_P(WarpOps, Match) {
  for (const bool wide : {false, true}) {
    const std::string a = wide ? "%rd20" : "%r1";
    const std::string type = wide ? "b64" : "b32";
    const std::string prepare =
        wide ? "mov.u32 %r20, 5;\nmov.b64 %rd20, {%r20, %r1};\n" : std::string();
    for (uint32_t values : {1u, 3u}) {
      check(fmt::format("{}match.any.sync.{} %r9, {}, %r4;\nmov.u32 %r10, 0;", prepare, type, a),
            values, [&](const std::vector<Thread>& warp, uint32_t lane) {
              Result result;
              for (uint32_t other : group_of(warp, lane)) {
                if (warp[other].value == warp[lane].value) result.first |= 1u << other;
              }
              return result;
            });
      check(fmt::format("{}match.all.sync.{} %r9|%p1, {}, %r4;\nselp.u32 %r10, 1, 0, %p1;", prepare,
                        type, a),
            values, [&](const std::vector<Thread>& warp, uint32_t lane) {
              Result all{0, 1, true};
              for (uint32_t other : group_of(warp, lane)) {
                if (warp[other].value != warp[lane].value) return Result{0, 0, true};
                all.first |= 1u << other;
              }
              return all;
            });
    }
  }
}

TEST_P(WarpOps, Redux) {
  for (const std::string op : {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
                               "and.b32", "or.b32", "xor.b32"}) {
    check(fmt::format("redux.sync.{} %r9, %r1, %r4;\nmov.u32 %r10, 0;", op), 0,
          [&](const std::vector<Thread>& warp, uint32_t lane) {
            const auto group = group_of(warp, lane);
            uint32_t result = warp[group[0]].value;
            const bool is_signed = op.back() == '2' && op[4] == 's';
            for (size_t i = 1; i < group.size(); ++i) {
              const uint32_t v = warp[group[i]].value;
              const bool less =
                  is_signed ? static_cast<int32_t>(v) < static_cast<int32_t>(result) : v < result;
              switch (op[0]) {
                case 'x':
                  result ^= v;
                  break;
                case 'o':
                  result |= v;
                  break;
                case 'a':
                  result = op[1] == 'd' ? result + v : result & v;
                  break;
                default:
                  result = (op[1] == 'i') == less ? v : result;
                  break;
              }
            }
            return Result{result, 0, true};
          });
  }
}

TEST_P(WarpOps, WithoutSyncTheRunningLanesTakePart) {
  const std::string ptx = kernel_of(
      1,
      "mul.wide.u32 %rd10, %tid_, 4;\nadd.u64 %rd10, %rd0, %rd10;\nmov.u32 %r1, %laneid;\n"
      "setp.ge.u32 %p1, %r1, 2;\n@%p1 exit;\nvote.ballot.b32 %r2, 1;\nactivemask.b32 %r3;\n"
      "shfl.bfly.b32 %r4, %tid_, 1, 0x1f;\nshl.b32 %r3, %r3, 4;\nor.b32 %r2, %r2, %r3;\n"
      "shl.b32 %r4, %r4, 8;\nor.b32 %r2, %r2, %r4;\nst.global.u32 [%rd10], %r2;");
  std::string old = ptx;
  old.replace(old.find("sm_80"), 5, "sm_60");
  old.replace(old.find("8.0"), 3, "6.0");
  const auto words = output_of(
      completes(old, launch_of(width(), 4, {buffer("out", std::vector<uint32_t>(4))})), "out");
  EXPECT_EQ(words, (std::vector<uint32_t>{0x133, 0x033, 0, 0}));
}

}  // namespace
}  // namespace warplock::reference_interp
