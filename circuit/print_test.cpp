#include "circuit/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/machine_test_support.h"

namespace warplock::circuit {
namespace {

using testing::HasSubstr;
using Kind = MachineOperand::Kind;

TEST(Print, SpellsInstructions) {
  MachineInstruction i;
  i.op = MachineOp::kMad;
  i.a = {Kind::kThread, 0};
  i.b = {Kind::kImmediate, 0xffffffff};
  i.c = {Kind::kForward, 1};
  i.destination = 7;
  EXPECT_EQ(to_text(i, 2), "s2  mad       thread, -1, s1 -> r7");
  MachineInstruction store;
  store.op = MachineOp::kSt;
  store.a = {Kind::kRegister, 3};
  store.b = {Kind::kImmediate, 0x7fffffff};
  store.c = {Kind::kRegister, 4};
  store.predicate_slot = 0;
  store.guarded = store.guard_negated = true;
  EXPECT_EQ(to_text(store, 3), "s3  st        [r3 + 0x7fffffff], r4 unless p0");
  MachineInstruction select;
  select.op = MachineOp::kSel;
  select.c = {Kind::kRegister, 5};
  select.predicate_from_c = true;
  EXPECT_EQ(to_text(select, 0), "s0  sel       r0, r0, r5?");
  MachineInstruction guarded;
  guarded.op = MachineOp::kAdd;
  guarded.c = {Kind::kRegister, 2};
  guarded.predicate_slot = 1;
  guarded.guarded = true;
  EXPECT_EQ(to_text(guarded, 2), "s2  add       r0, r0 if p1 else r2");
}

TEST(Print, PutsBlocksNextToTheirPtx) {
  const executor::Program program = test_support::program_of(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %q<3>;
ld.param.u64 %q0, [out];
mov.u32 %r0, %tid.x;
setp.ge.u32 %p, %r0, 3;
@%p ret;
atom.global.add.u32 %r1, [%q0], %r0;
bar.sync 0;
mul.lo.u32 %r2, %r1, 5;
st.global.u32 [%q0+4], %r2;
ret;
}
)");
  executor::Launch launch = test_support::launch_of("k", {1, 1, 1}, {4, 1, 1});
  launch.arguments = {test_support::buffer("out", {0, 0})};
  const LoweringResult result = lower(program.module, launch, MachineSpec{});
  const std::string text = to_text(std::get<Lowered>(result), *program.module);
  EXPECT_THAT(text, HasSubstr("of 32 blocks, 2 of 508 words of memory"));
  EXPECT_THAT(text, HasSubstr("out                      8 bytes at 0"));
  EXPECT_THAT(text, HasSubstr("one lane at a time"));
  EXPECT_THAT(text, HasSubstr(", after a barrier"));
  EXPECT_THAT(text, HasSubstr("; 11: atom.global.add.u32 %r1, [%q0], %r0"));
  EXPECT_THAT(text, HasSubstr("; 13: mul.lo.u32 %r2, %r1, 5"));
  EXPECT_THAT(text, HasSubstr("-> exit"));
}

}  // namespace
}  // namespace warplock::circuit
