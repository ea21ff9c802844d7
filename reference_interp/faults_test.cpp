#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "reference_interp/test_support.h"

/// One program for each kind of fault. Each says where it happened and who else took part.
namespace warplock::reference_interp {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace testing;

class Faults : public ::testing::TestWithParam<uint32_t> {
 protected:
  executor::Launch launch(uint32_t threads, size_t words = 64) const {
    return launch_of(GetParam(), threads, {buffer("out", std::vector<uint32_t>(words))});
  }
};
INSTANTIATE_TEST_SUITE_P(Widths, Faults, ::testing::Values(4u, 32u),
                         [](const auto& tested) { return fmt::format("w{}", tested.param); });

constexpr const char* kMyWord = "mul.wide.u32 %rd10, %tid_, 4;\nadd.u64 %rd10, %rd0, %rd10;\n";

TEST_P(Faults, OutOfBoundsBehindABuffer) {
  const std::string ptx = kernel_of(1, fmt::format("{}st.global.u32 [%rd10+8], %tid_;", kMyWord));
  const auto fault = fault_of(ptx, launch(4, 5));
  EXPECT_EQ(fault.klass, "out of bounds");
  EXPECT_EQ(fault.position.line, line_of(ptx, "st.global.u32"));
  EXPECT_THAT(fault.message, AllOf(HasSubstr("thread 3 (3,0,0) of CTA 0 (0,0,0)"),
                                   HasSubstr("offset 20 of global 'out', which has 20 bytes")));
}

TEST_P(Faults, OutOfBoundsBeforeABuffer) {
  const std::string ptx = kernel_of(1, "ld.global.u32 %r1, [%rd0+-4];");
  const auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "out of bounds");
  EXPECT_THAT(fault.message, HasSubstr("offset -4 of global 'out'"));
}

TEST_P(Faults, OutOfBoundsOfSharedLocalAndNull) {
  const char* declarations = ".shared .align 4 .b32 a[4];\n.shared .align 4 .b32 b[4];";
  std::string ptx = kernel_of(1, "mov.u32 %r1, a;\nst.shared.u32 [%r1+16], 1;", declarations);
  auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "out of bounds");
  EXPECT_THAT(fault.message, HasSubstr("offset 16 of shared 'a', which has 16 bytes"));

  ptx = kernel_of(1, ".local .align 4 .b32 l[2];\nmov.u64 %rd1, l;\nst.local.u32 [%rd1+8], 1;");
  fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "out of bounds");
  EXPECT_THAT(fault.message, HasSubstr("local memory"));

  ptx = kernel_of(1, "mov.u64 %rd1, 0;\nld.u32 %r1, [%rd1];");
  fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "out of bounds");
  EXPECT_THAT(fault.message, HasSubstr("null"));

  ptx = kernel_of(1, "ld.param.u64 %rd1, [p0+8];");
  auto outcome_class = [&] {
    try {
      return fault_of(ptx, launch(1)).klass;
    } catch (const diagnostics::InputError&) {
      return std::string("refused by the front end");
    }
  }();
  EXPECT_THAT(outcome_class, AnyOf("out of bounds", "refused by the front end"));
}

TEST_P(Faults, SharedAddressIsNoGenericAddress) {
  const std::string ptx =
      kernel_of(1, "mov.u64 %rd1, a;\nst.u32 [%rd1], 1;", ".shared .align 4 .b32 a[4];");
  EXPECT_EQ(fault_of(ptx, launch(1)).klass, "out of bounds");
}

TEST_P(Faults, Misaligned) {
  std::string ptx = kernel_of(1, "st.global.u32 [%rd0+2], 1;");
  // The front end may see a constant misalignment itself; a computed one only the run does.
  ptx = kernel_of(1, "add.u64 %rd1, %rd0, 2;\nst.global.u32 [%rd1], 1;");
  auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "misaligned");
  EXPECT_EQ(fault.position.line, line_of(ptx, "st.global.u32"));
  ptx = kernel_of(1, "add.u64 %rd1, %rd0, 8;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];");
  fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "misaligned");
  EXPECT_THAT(fault.message, HasSubstr("multiple of 16"));
}

TEST_P(Faults, ReadOnlyMemoryAndWrongSpace) {
  const char* declarations = ".const .align 4 .u32 c[1] = {7};";
  std::string ptx =
      kernel_of(1, "mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1], 1;", declarations);
  EXPECT_EQ(fault_of(ptx, launch(1)).klass, "read-only memory");
  ptx = kernel_of(1, "mov.u64 %rd1, c;\nld.global.u32 %r1, [%rd1];", declarations);
  EXPECT_EQ(fault_of(ptx, launch(1)).klass, "wrong state space");
}

TEST_P(Faults, UninitialisedRegister) {
  const std::string ptx =
      kernel_of(1, "setp.eq.u32 %p1, %tid_, 2;\n@!%p1 mov.u32 %r1, 5;\nadd.u32 %r2, %r1, 1;");
  const auto fault = fault_of(ptx, launch(4));
  EXPECT_EQ(fault.klass, "uninitialised");
  EXPECT_EQ(fault.position.line, line_of(ptx, "add.u32 %r2"));
  EXPECT_THAT(fault.message, AllOf(HasSubstr("thread 2 (2,0,0)"), HasSubstr("%r1")));
}

TEST_P(Faults, UninitialisedGuard) {
  const std::string ptx = kernel_of(1, "@%p3 mov.u32 %r1, 5;");
  EXPECT_THAT(fault_of(ptx, launch(1)).message, HasSubstr("%p3"));
}

TEST_P(Faults, UninitialisedGoesThroughCopiesOnly) {
  // Compilers copy values that nobody uses; what is not selected may be anything.
  std::string ptx =
      kernel_of(1,
                "mov.u32 %r2, %r1;\nmov.b64 %rd5, {%r1, %r2};\nsetp.eq.u32 %p1, %tid_, %tid_;\n"
                "selp.u32 %r3, 7, %r2, %p1;\nst.global.u32 [%rd0], %r3;");
  EXPECT_EQ(output_of(completes(ptx, launch(1)), "out")[0], 7u);
  ptx = kernel_of(1, "mov.u32 %r2, %r1;\nst.global.u32 [%rd0], %r2;");
  const auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "uninitialised");
  EXPECT_THAT(fault.message, HasSubstr("%r2"));
  EXPECT_EQ(fault.position.line, line_of(ptx, "st.global"));
}

TEST_P(Faults, UninitialisedMemory) {
  std::string ptx =
      kernel_of(1, "mov.u32 %r1, a;\nst.shared.u8 [%r1], 1;\nld.shared.u16 %r2, [%r1];",
                ".shared .align 4 .b32 a[4];");
  auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "uninitialised");
  EXPECT_EQ(fault.position.line, line_of(ptx, "ld.shared"));
  EXPECT_THAT(fault.message, HasSubstr("bytes 0 to 1 of shared 'a'"));
  ptx = kernel_of(1, ".local .align 4 .b32 l[2];\nmov.u64 %rd1, l;\nld.local.u32 %r1, [%rd1];");
  EXPECT_EQ(fault_of(ptx, launch(1)).klass, "uninitialised");
  ptx = kernel_of(1, "mov.u32 %r1, a;\natom.shared.add.u32 %r2, [%r1], 1;",
                  ".shared .align 4 .b32 a[4];");
  EXPECT_EQ(fault_of(ptx, launch(1)).klass, "uninitialised");
}

TEST_P(Faults, ShuffleFromALaneThatIsNotThere) {
  const std::string ptx =
      kernel_of(1, "shfl.sync.idx.b32 %r1, %tid_, 3, 0x1f, 0xffffffff;\nadd.u32 %r2, %r1, 1;");
  const auto fault = fault_of(ptx, launch(3));
  EXPECT_EQ(fault.klass, "uninitialised");
  EXPECT_EQ(fault.position.line, line_of(ptx, "add.u32 %r2"));
}

TEST_P(Faults, InvalidMask) {
  const std::string ptx = kernel_of(1, "bar.warp.sync 0x5;");
  const auto fault = fault_of(ptx, launch(4));
  EXPECT_EQ(fault.klass, "invalid mask");
  EXPECT_EQ(fault.position.line, line_of(ptx, "bar.warp.sync"));
  EXPECT_THAT(fault.message, HasSubstr("thread 1 (1,0,0)"));
}

TEST_P(Faults, Trap) {
  const std::string ptx = kernel_of(1, "setp.eq.u32 %p1, %tid_, 1;\n@%p1 trap;");
  const auto fault = fault_of(ptx, launch(2));
  EXPECT_EQ(fault.klass, "trap");
  EXPECT_EQ(fault.position.line, line_of(ptx, "@%p1 trap"));
  EXPECT_THAT(fault.message, HasSubstr("thread 1 (1,0,0)"));
}

TEST_P(Faults, StepLimit) {
  const std::string ptx = kernel_of(1, "L: bra L;");
  executor::Launch forever = launch(2);
  forever.max_steps = 1000;
  const auto fault = fault_of(ptx, forever);
  EXPECT_EQ(fault.klass, "step limit");
  EXPECT_EQ(fault.position.line, line_of(ptx, "L: bra"));
  EXPECT_THAT(fault.message, HasSubstr("1000"));
}

TEST_P(Faults, StepLimitIsExact) {
  // ld.param, mov, ret: three thread-instructions a thread.
  const std::string ptx = kernel_of(1, "");
  executor::Launch exact = launch(4);
  exact.max_steps = 12;
  EXPECT_EQ(completes(ptx, exact).steps, 12u);
  exact.max_steps = 11;
  EXPECT_EQ(fault_of(ptx, exact).klass, "step limit");
}

TEST_P(Faults, BranchOutOfRange) {
  const std::string ptx = kernel_of(1,
                                    "T: .branchtargets A, B;\nadd.u32 %r1, %tid_, 1;\n"
                                    "brx.idx %r1, T;\nA:\nB:\n");
  const auto fault = fault_of(ptx, launch(2));
  EXPECT_EQ(fault.klass, "branch out of range");
  EXPECT_THAT(fault.message, HasSubstr("thread 1 (1,0,0)"));
}

TEST_P(Faults, RecursionWithoutEnd) {
  const std::string ptx = module_of(
      ".func f (.reg .b32 x)\n{\ncall f, (x);\nret;\n}\n"
      ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n"
      "call f, (%r1);\nret;\n}");
  const auto fault = fault_of(ptx, launch(1));
  EXPECT_EQ(fault.klass, "stack overflow");
  EXPECT_EQ(fault.position.line, line_of(ptx, "call f, (x)"));
}

TEST_P(Faults, CudaLineIsNamed) {
  const std::string ptx = module_of(
      ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<3>;\n.loc 1 42 7\n"
      "add.u32 %r1, %r2, 1;\nret;\n}\n.file 1 \"kernel.cu\"");
  EXPECT_THAT(fault_of(ptx, launch(1)).message, HasSubstr("kernel.cu:42"));
}

}  // namespace
}  // namespace warplock::reference_interp
