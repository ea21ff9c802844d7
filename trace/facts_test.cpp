#include "trace/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplock::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Reads = InstructionFacts::Reads;

class Facts : public testing::Test {
 protected:
  InstructionFacts of(const char* text) { return facts_of(text, names_); }
  std::vector<uint32_t> n(std::initializer_list<const char*> list) {
    std::vector<uint32_t> out;
    for (const char* name : list) out.push_back(names_.number(name));
    return out;
  }
  NameTable names_;
};

TEST_F(Facts, SourcesAndDestinations) {
  InstructionFacts add = of("add.u32 %r1, %r2, 0x1f;");
  EXPECT_EQ(add.destinations, n({"%r1"}));
  EXPECT_EQ(add.sources, n({"%r2"}));
  InstructionFacts load = of("ld.global.v2.u32 {%r1, %r2}, [%rd4+8]");
  EXPECT_EQ(load.destinations, n({"%r1", "%r2"}));
  EXPECT_EQ(load.sources, n({"%rd4"}));
  InstructionFacts store = of("st.global.u32 [%rd4], %r2");
  EXPECT_THAT(store.destinations, IsEmpty());
  EXPECT_EQ(store.sources, n({"%rd4", "%r2"}));
  InstructionFacts two = of("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3");
  EXPECT_EQ(two.destinations, n({"%p1", "%p2"}));
  EXPECT_EQ(two.sources, n({"%r1", "%r2", "%p3"}));
  EXPECT_EQ(of("mov.u32 a_1, $b").sources, n({"$b"}));
  EXPECT_EQ(of("red.global.add.u32 [%rd1], %r1").sources, n({"%rd1", "%r1"}));
  EXPECT_THAT(of("red.global.add.u32 [%rd1], %r1").destinations, IsEmpty());
}

TEST_F(Facts, GuardsAreSources) {
  InstructionFacts guarded = of("@!%p1 bra $L__BB0_2");
  EXPECT_EQ(guarded.guard, names_.number("%p1"));
  EXPECT_EQ(guarded.sources.front(), names_.number("%p1"));
  EXPECT_EQ(of("bra L").guard, 0xffffffffu);
}

TEST_F(Facts, PartsOfSpecialRegistersAreNoNames) {
  EXPECT_EQ(of("mov.u32 %r1, %tid.x").sources, n({"%tid"}));
}

TEST_F(Facts, TheCarryFlagIsARegister) {
  EXPECT_EQ(of("add.cc.u32 %r1, %r2, %r3").destinations, n({"%r1", "CC.CF"}));
  EXPECT_EQ(of("addc.u32 %r1, %r2, %r3").sources, n({"%r2", "%r3", "CC.CF"}));
  EXPECT_EQ(of("madc.hi.cc.u32 %r1, %r2, %r3, %r4").destinations, n({"%r1", "CC.CF"}));
}

TEST_F(Facts, ParametersOfCallsCarryValues) {
  EXPECT_EQ(of("st.param.b32 [param0+0], %r1").destinations, n({"param0"}));
  EXPECT_EQ(of("st.param.b32 [param0+0], %r1").sources, n({"%r1"}));
  EXPECT_EQ(of("ld.param.b32 %r1, [retval0+0]").sources, n({"retval0"}));
  EXPECT_TRUE(of("call.uni (retval0), f, (param0)").is_call);
}

TEST_F(Facts, WhoseRegistersAreRead) {
  EXPECT_EQ(of("add.u32 %r1, %r2, 1").reads, Reads::kThread);
  EXPECT_EQ(of("shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1").reads, Reads::kWarp);
  EXPECT_EQ(of("vote.sync.any.pred %p1, %p2, -1").reads, Reads::kWarp);
  EXPECT_EQ(of("bar.sync 0").reads, Reads::kThread);
  InstructionFacts reduce = of("bar.red.popc.u32 %r1, 0, %p1");
  EXPECT_EQ(reduce.reads, Reads::kCta);
  EXPECT_EQ(reduce.destinations, n({"%r1"}));
}

TEST_F(Facts, StrongAccessesAndOpenResults) {
  for (const char* text : {"atom.global.add.u32 %r1, [%rd1], 1", "red.shared.or.b32 [%r1], 1",
                           "ld.volatile.global.u32 %r1, [%rd1]", "st.release.gpu.u32 [%rd1], 1",
                           "ld.relaxed.gpu.global.u32 %r1, [%rd1]", "atomicrmw add i32",
                           "load atomic monotonic i32", "cmpxchg i32"}) {
    EXPECT_TRUE(of(text).strong) << text;
  }
  EXPECT_FALSE(of("ld.global.nc.u32 %r1, [%rd1]").strong);
  EXPECT_FALSE(of("st.global.u32 [volatile], 1").strong);
  EXPECT_TRUE(of("mov.u64 %rd1, %clock64").open);
  EXPECT_TRUE(of("activemask.b32 %r1").open);
  EXPECT_FALSE(of("mov.u32 %r1, %laneid").open);
}

struct AtomicCase {
  const char* text;
  uint64_t old, operand;
  uint32_t width;
  std::optional<uint64_t> result;
};

TEST_F(Facts, ResultsOfAtomics) {
  const AtomicCase cases[] = {
      {"atom.global.add.u32 %r1, [a], %r2", 0xffffffff, 2, 4, 1},
      {"atom.global.add.u64 %r1, [a], %r2", 0xffffffff, 2, 8, 0x100000001},
      {"atom.shared.and.b32 %r1, [a], %r2", 12, 10, 4, 8},
      {"atom.or.b32 %r1, [a], %r2", 12, 10, 4, 14},
      {"red.global.xor.b32 [a], %r2", 12, 10, 4, 6},
      {"atom.exch.b32 %r1, [a], %r2", 12, 10, 4, 10},
      {"atom.min.u32 %r1, [a], %r2", 0xffffffff, 1, 4, 1},
      {"atom.min.s32 %r1, [a], %r2", 0xffffffff, 1, 4, 0xffffffff},
      {"atom.max.u32 %r1, [a], %r2", 0xffffffff, 1, 4, 0xffffffff},
      {"atom.global.gpu.relaxed.max.s32 %r1, [a], %r2", 0xffffffff, 1, 4, 1},
      {"atom.max.s64 %r1, [a], %r2", 0xffffffff, 1, 8, 0xffffffff},
      {"atom.inc.u32 %r1, [a], %r2", 5, 5, 4, 0},
      {"atom.inc.u32 %r1, [a], %r2", 4, 5, 4, 5},
      {"atom.dec.u32 %r1, [a], %r2", 0, 5, 4, 5},
      {"atom.dec.u32 %r1, [a], %r2", 6, 5, 4, 5},
      {"atom.dec.u32 %r1, [a], %r2", 5, 5, 4, 4},
      {"atom.cas.b32 %r1, [a], 3, %r2", 3, 9, 4, 9},
      {"atom.cas.b32 %r1, [a], 0x3, %r2", 4, 9, 4, 4},
      {"atom.cas.b32 %r1, [a], -1, %r2", 0xffffffff, 9, 4, 9},
      {"atom.cas.b32 %r1, [a], %r3, %r2", 4, 9, 4, std::nullopt},
      {"atom.cas.b32 %r1, [a], %r3, %r2", 9, 9, 4, 9},
      {"atom.global.add.f32 %r1, [a], %r2", 4, 9, 4, std::nullopt},
      {"atom.global.add.noftz.f16x2 %r1, [a], %r2", 4, 9, 4, std::nullopt},
      {"atomicrmw add i32", 4, 9, 4, 13},
      {"atomicrmw umin i32", 0xffffffff, 1, 4, 1},
      {"atomicrmw min i32", 0xffffffff, 1, 4, 0xffffffff},
      {"add.u32 %r1, %r2, %r3", 4, 9, 4, std::nullopt}};
  for (const AtomicCase& c : cases) {
    EXPECT_EQ(of(c.text).atomic.result(c.old, c.operand, c.width), c.result) << c.text;
  }
}

TEST_F(Facts, AnyTextIsRead) {
  for (const char* text : {"", ";", "@", "@%p1", "@!", "...", "[[[", "a,,,b", "@%p1   ", "\x01\xff",
                           "%", "x }}}} , y", "atom", "atom.cas.b32 %r1, [a], -, %r2"}) {
    of(text);
  }
}

}  // namespace
}  // namespace warplock::trace
