#include "executor/digest.h"

#include <gtest/gtest.h>

namespace warplock::executor {
namespace {

// FIPS 180-4's own examples.
TEST(Digest, IsSha256) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, TellsFieldsApart) {
  auto two = [](std::string_view a, std::string_view b) {
    Digest digest;
    digest.add(a);
    digest.add(b);
    return digest.hex();
  };
  EXPECT_EQ(two("ab", "c"), two("ab", "c"));
  EXPECT_NE(two("ab", "c"), two("a", "bc"));
  EXPECT_NE(two("", "abc"), two("abc", ""));
}

TEST(Digest, CountsWordsInTheirOrder) {
  auto of = [](const std::vector<uint32_t>& words) {
    Digest digest;
    digest.add(words);
    return digest.hex();
  };
  EXPECT_NE(of({1, 2}), of({2, 1}));
  EXPECT_NE(of({}), of({0}));
  EXPECT_NE(of({1}), of({1, 0}));
}

}  // namespace
}  // namespace warplock::executor
