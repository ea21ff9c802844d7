#include "trace/matching.h"

#include <gtest/gtest.h>

namespace warplock::trace {
namespace {

Trace with_objects(std::vector<Object> objects) {
  Trace trace;
  trace.objects = std::move(objects);
  return trace;
}

TEST(Matching, ObjectsByNameAndSpaceWhateverTheirOrder) {
  Trace left = with_objects({{"a", Space::kGlobal, 1, 1, 0},
                             {"b", Space::kGlobal, 2, 1, 0},
                             {"a", Space::kShared, 3, 1, 0},
                             {"a", Space::kGlobal, 4, 1, 0}});
  Trace right = with_objects({{"a", Space::kShared, 5, 1, 0},
                              {"a", Space::kGlobal, 6, 1, 0},
                              {"a", Space::kGlobal, 7, 1, 0},
                              {"c", Space::kGlobal, 8, 1, 0}});
  Matching matching(left, right);
  EXPECT_EQ(matching.left().objects, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(matching.right().objects, (std::vector<uint32_t>{2, 0, 3, 4}));
  EXPECT_EQ(matching.objects()[1].right, nullptr);
  EXPECT_EQ(matching.objects()[4].left, nullptr);
}

TEST(Matching, InstructionsByPtxIndexAndRegistersByName) {
  Trace left, right;
  left.instructions = {{7, 0, 0, ""}, {9, 0, 0, ""}};
  right.instructions = {{9, 0, 0, ""}, {kNoPtxIndex, 0, 0, ""}, {kNoPtxIndex, 0, 0, ""}};
  left.register_names = {"x", "y"};
  right.register_names = {"y", "z"};
  Matching matching(left, right);
  EXPECT_EQ(matching.left().instructions, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(matching.right().instructions, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(matching.right().registers, (std::vector<uint32_t>{1, 2}));
}

constexpr uint64_t kLeft = 0x100000000000, kRight = 0x10000;

class Values : public testing::Test {
 protected:
  Trace left_ = with_objects({{"a", Space::kGlobal, kLeft, 64, 16}});
  Trace right_ = with_objects({{"a", Space::kGlobal, kRight, 64, 16}});
  Matching matching_{left_, right_};
};

TEST_F(Values, AreEqualAsNumbersWithinTheirWidth) {
  EXPECT_TRUE(matching_.same_value(5, 4, 5, 4));
  EXPECT_FALSE(matching_.same_value(5, 4, 6, 4));
  EXPECT_TRUE(matching_.same_value(0x105, 1, 0x205, 1));
  EXPECT_FALSE(matching_.same_value(0x105, 2, 0x205, 2));
}

TEST_F(Values, AreEqualAsAddressesWithinReach) {
  for (int64_t offset : {int64_t{0}, int64_t{63}, int64_t{64}, int64_t{79}, int64_t{-16}}) {
    auto add = static_cast<uint64_t>(offset);
    EXPECT_TRUE(matching_.same_value(kLeft + add, 8, kRight + add, 8)) << offset;
    EXPECT_FALSE(matching_.same_value(kLeft + add, 8, kRight + add + 1, 8)) << offset;
  }
  for (int64_t offset : {int64_t{80}, int64_t{-17}}) {
    auto add = static_cast<uint64_t>(offset);
    EXPECT_FALSE(matching_.same_value(kLeft + add, 8, kRight + add, 8)) << offset;
  }
}

TEST_F(Values, OfNarrowMachinesAreComparedByTheirLowWord) {
  EXPECT_TRUE(matching_.same_value(kLeft + 8, 8, kRight + 8, 4));
  EXPECT_FALSE(matching_.same_value(kLeft + 8, 8, kRight + 12, 4));
  EXPECT_TRUE(matching_.same_value(0x700000005, 8, 5, 4));
  // A low word of the side with long addresses is no address.
  EXPECT_FALSE(matching_.same_value((kLeft + 8) & 0xffffffff, 4, kRight + 12, 4));
}

TEST_F(Values, ShorterThanAWordAreNoAddresses) {
  Trace small = with_objects({{"a", Space::kGlobal, 0x100, 64, 16}});
  Trace other = with_objects({{"a", Space::kGlobal, 0x200, 64, 16}});
  EXPECT_FALSE(Matching(small, other).same_value(0x108, 2, 0x208, 2));
  EXPECT_TRUE(Matching(small, other).same_value(0x108, 4, 0x208, 4));
}

TEST(Matching, ReachMayBeAnything) {
  EXPECT_TRUE(in_reach({"a", Space::kGlobal, 5, ~uint64_t{0}, ~uint64_t{0}}, 0, 8));
  EXPECT_TRUE(in_reach({"a", Space::kGlobal, 0, 4, 8}, ~uint64_t{0}, 8));
  EXPECT_FALSE(in_reach({"a", Space::kGlobal, 0, 4, 0}, 4, 8));
  EXPECT_FALSE(in_reach({"a", Space::kGlobal, 0, 0, 0}, 0, 8));
}

TEST(Matching, OfATraceWithItself) {
  Trace trace = with_objects({{"a", Space::kGlobal, 1, 1, 0}});
  Matching matching(trace, trace);
  EXPECT_EQ(matching.left().objects, matching.right().objects);
  EXPECT_EQ(matching.objects().size(), 1u);
}

}  // namespace
}  // namespace warplock::trace
