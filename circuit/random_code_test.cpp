// Random code in loops, with registers written again and again, guards and branches: optimisation,
// packing and registers must keep the meaning, event by event.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "circuit/machine_test_support.h"

namespace warplock::circuit {
namespace {

class Writer {
 public:
  Writer(uint64_t seed, uint32_t variables) : random_(seed), variables_(variables) {}

  std::string kernel() {
    std::string text = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 n)
{
.reg .pred %p<8>; .reg .b32 %v<16>, %t, %i, %n; .reg .b64 %d, %o;
mov.u32 %t, %tid.x; ld.param.u64 %d, [data]; ld.param.u32 %n, [n];
mul.wide.u32 %o, %t, 64; add.u64 %d, %d, %o;
)";
    for (uint32_t v = 0; v < variables_; ++v)
      text += fmt::format("ld.global.u32 %v{0}, [%d+{1}];\n", v, 4 * v);
    for (uint32_t p = 0; p < 3; ++p) text += fmt::format("setp.lt.u32 %p{0}, %t, {0};\n", p);
    text += "mov.u32 %i, 0;\nLOOP:\n";
    const uint32_t length = 4 + below(16);
    uint32_t open = 0;
    for (uint32_t k = 0; k < length; ++k) {
      if (open == 0 && below(6) == 0) {
        open = 1 + below(4);
        text += fmt::format("@{}%p{} bra SKIP{};\n", below(2) != 0 ? "!" : "", below(3), label_);
      }
      text += instruction();
      if (open != 0 && --open == 0) text += fmt::format("SKIP{}:\n", label_++);
    }
    if (open != 0) text += fmt::format("SKIP{}:\n", label_);
    text += "add.u32 %i, %i, 1;\nsetp.lt.u32 %p7, %i, %n;\n@%p7 bra LOOP;\n";
    for (uint32_t v = 0; v < variables_; ++v)
      text += fmt::format("st.global.u32 [%d+{}], %v{};\n", 4 * v, v);
    return text + "ret;\n}\n";
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  std::string variable() { return fmt::format("%v{}", below(variables_)); }
  std::string operand() { return below(4) == 0 ? fmt::format("{}", below(40)) : variable(); }

  std::string instruction() {
    const std::string guard =
        below(4) == 0 ? fmt::format("@{}%p{} ", below(2) != 0 ? "!" : "", below(3)) : "";
    const char* binary[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32",
                            "min.s32", "max.u32", "shl.b32", "shr.u32"};
    switch (below(8)) {
      case 0:
        return fmt::format("{}mov.u32 {}, {};\n", guard, variable(), operand());
      case 1:
        return fmt::format("{}mad.lo.u32 {}, {}, {}, {};\n", guard, variable(), variable(),
                           operand(), variable());
      case 2:
        return fmt::format("{}setp.lt.s32 %p{}, {}, {};\n", guard, below(3), variable(), operand());
      case 3:
        return fmt::format("{}selp.u32 {}, {}, {}, %p{};\n", guard, variable(), operand(),
                           operand(), below(3));
      default:
        return fmt::format("{}{} {}, {}, {};\n", guard, binary[below(8)], variable(), variable(),
                           operand());
    }
  }

  std::mt19937_64 random_;
  uint32_t variables_;
  uint32_t label_ = 0;
};

TEST(RandomCode, AgreesWithTheReference) {
  uint32_t fitted = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = Writer(seed, 3 + seed % 8).kernel();
    const executor::Program program = test_support::program_of(text);
    executor::Launch launch = test_support::launch_of("k", {1, 1, 1}, {6, 1, 1});
    launch.arguments = {test_support::buffer("data", test_support::interesting_words(96, seed)),
                        test_support::scalar("n", 3)};
    const std::string wrong = test_support::disagreement(program, launch);
    if (wrong.rfind("machine: needs", 0) == 0) continue;
    ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << text;
    ++fitted;
  }
  EXPECT_GT(fitted, 250u);
}

}  // namespace
}  // namespace warplock::circuit
