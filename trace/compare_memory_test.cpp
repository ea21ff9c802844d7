// One side without PTX: what is compared, and what compilers may do.
#include <gtest/gtest.h>

#include "diagnostics/diagnostic.h"
#include "trace/compare.h"
#include "trace/spelling.h"

namespace warplock::trace {
namespace {

constexpr uint32_t kStoreAt = 0, kAddAt = 1, kLoadAt = 2, kCasAt = 3, kBarrierAt = 4;

/// A trace written by hand, of PTX or not.
struct Builder {
  explicit Builder(bool ptx, uint64_t base = 0x100000000) {
    trace.executor = ptx ? "ptx" : "other";
    trace.level = Level::kMemory;
    trace.warp_width = 4;
    trace.instructions = {{0, 1, 1, "st.global.u32 [%rd1], %r1"},
                          {1, 2, 2, "atom.global.add.u32 %r2, [%rd1], 1"},
                          {2, 3, 3, "ld.global.u32 %r1, [%rd1]"},
                          {3, 4, 4, "atom.global.cas.b32 %r3, [%rd1], %r4, %r5"},
                          {4, 5, 5, "bar.sync 0"}};
    if (!ptx) {
      for (Instruction& i : trace.instructions) i.ptx_index = kNoPtxIndex;
    }
    trace.objects = {{"out", Space::kGlobal, base, 64, 0x1000},
                     {"s", Space::kShared, base + 0x10000, 64, 0x1000},
                     {"l", Space::kLocal, base + 0x20000, 64, 0}};
  }
  Builder& memory(EventKind kind, uint32_t thread, uint32_t instruction, uint32_t object,
                  uint64_t offset, uint32_t width, uint64_t value, uint64_t old = 0) {
    Event e;
    e.kind = kind;
    e.thread = thread;
    e.instruction = instruction;
    e.object = object;
    e.space = trace.objects[object].space;
    e.offset = offset;
    e.width = static_cast<uint8_t>(width);
    e.value = value;
    e.old = old;
    trace.events.push_back(e);
    return *this;
  }
  Builder& store(uint32_t thread, uint64_t offset, uint64_t value, uint32_t width = 4,
                 uint32_t object = 0) {
    return memory(EventKind::kStore, thread, kStoreAt, object, offset, width, value);
  }
  Builder& load(uint32_t thread, uint64_t offset, uint64_t value) {
    return memory(EventKind::kLoad, thread, kLoadAt, 0, offset, 4, value);
  }
  Builder& add(uint32_t thread, uint64_t offset, uint64_t value, uint64_t old) {
    return memory(EventKind::kAtomic, thread, kAddAt, 0, offset, 4, value, old);
  }
  Builder& barrier(std::initializer_list<uint32_t> threads) {
    for (EventKind kind : {EventKind::kBarrierArrive, EventKind::kBarrierRelease}) {
      for (uint32_t thread : threads) control(kind, thread);
    }
    return *this;
  }
  Builder& control(EventKind kind, uint32_t thread) {
    Event e;
    e.kind = kind;
    e.thread = thread;
    e.instruction = kBarrierAt;
    trace.events.push_back(e);
    return *this;
  }
  Trace trace;
};

Builder ptx() {
  return Builder(true);
}
Builder other() {
  return Builder(false, 0x7f0000000000);
}

/// Both ways round; the counts are those of left against right.
Comparison compared(const Builder& left, const Builder& right) {
  Comparison forth = compare(left.trace, right.trace), back = compare(right.trace, left.trace);
  EXPECT_EQ(forth.divergence.has_value(), back.divergence.has_value());
  return forth;
}
bool agree(const Builder& left, const Builder& right) {
  return !compared(left, right).divergence;
}

TEST(WithoutPtx, LoadsAndLocalMemoryAreNotCompared) {
  Builder left = ptx().load(0, 0, 5).store(0, 0, 7, 4, 2).store(0, 4, 1);
  Builder right = other().load(1, 8, 6).store(0, 4, 1);
  Comparison comparison = compared(left, right);
  EXPECT_FALSE(comparison.divergence);
  EXPECT_EQ(comparison.compared_events, 1u);
}

TEST(WithoutPtx, StoresMayBeSplitAndMerged) {
  Builder left = ptx().store(0, 0, 0x11223344).store(0, 4, 0x55667788).store(1, 8, 0xaabb, 2);
  Builder right =
      other().store(0, 0, 0x5566778811223344, 8).store(1, 9, 0xaa, 1).store(1, 8, 0xbb, 1);
  EXPECT_EQ(compared(left, right).compared_events, 3u);
  EXPECT_TRUE(agree(left, right));
  Builder wrong =
      other().store(0, 0, 0x5566778911223344, 8).store(1, 9, 0xaa, 1).store(1, 8, 0xbb, 1);
  Comparison comparison = compared(left, wrong);
  ASSERT_TRUE(comparison.divergence);
  EXPECT_EQ(comparison.divergence->kind, Divergence::Kind::kLocation);
  EXPECT_EQ(comparison.divergence->what,
            "value stored to out+4: 1432778632 (left) but 1432778633 (right)");
}

TEST(WithoutPtx, StoresToOtherLocationsMayChangePlaces) {
  EXPECT_TRUE(agree(ptx().store(0, 0, 1).store(0, 4, 2), other().store(0, 4, 2).store(0, 0, 1)));
}

TEST(WithoutPtx, PointersAreComparedByObject) {
  Builder left = ptx().store(0, 0, 0x100000010, 8), right = other().store(0, 0, 0x7f0000000010, 8);
  EXPECT_TRUE(agree(left, right));
  EXPECT_FALSE(agree(left, other().store(0, 0, 0x7f0000000011, 8)));
  EXPECT_FALSE(agree(left, other().store(0, 0, 0x7f0000010010, 8)));  // another object
  // The same pointer in two halves cannot be told from numbers that differ.
  Builder halves = other().store(0, 0, 0x00000010, 4).store(0, 4, 0x7f00, 4);
  EXPECT_FALSE(agree(left, halves));
}

TEST(WithoutPtx, ARepeatedStoreMayBeLeftOut) {
  EXPECT_TRUE(agree(ptx().store(0, 0, 1).store(0, 0, 1), other().store(0, 0, 1)));
  // Not when somebody else wrote there in between.
  EXPECT_FALSE(
      agree(ptx().store(0, 0, 1).barrier({0, 1}).store(1, 0, 2).barrier({0, 1}).store(0, 0, 1),
            other().store(0, 0, 1).store(1, 0, 2)));
}

TEST(WithoutPtx, AnOverwrittenStoreMayBeLeftOutUnlessSomebodyReadIt) {
  EXPECT_TRUE(agree(ptx().store(0, 0, 1).store(0, 0, 2), other().store(0, 0, 2)));
  EXPECT_FALSE(
      agree(ptx().store(0, 0, 1).barrier({0, 1}).load(1, 0, 1).barrier({0, 1}).store(0, 0, 2),
            other().store(0, 0, 2)));
  // With both there, both count.
  EXPECT_FALSE(agree(ptx().store(0, 0, 1).store(0, 0, 2), other().store(0, 0, 3).store(0, 0, 2)));
}

TEST(WithoutPtx, AStoreOfWhatIsThereMayBeLeftOut) {
  EXPECT_TRUE(agree(ptx().load(0, 0, 9).store(0, 0, 9).store(0, 4, 1), other().store(0, 4, 1)));
  EXPECT_FALSE(agree(ptx().load(0, 0, 9).store(0, 0, 8).store(0, 4, 1), other().store(0, 4, 1)));
}

TEST(WithoutPtx, TheOrderOfStoresOfTwoThreadsCountsWhereItIsFixed) {
  Builder left = ptx().store(0, 0, 1).barrier({0, 1}).store(1, 0, 2);
  EXPECT_TRUE(agree(left, other().store(0, 0, 1).store(1, 0, 2)));
  Comparison comparison = compared(left, other().store(1, 0, 2).store(0, 0, 1));
  ASSERT_TRUE(comparison.divergence);
  EXPECT_EQ(
      comparison.divergence->what,
      "order of writes to out+0: cta 0 thread 0 before cta 0 thread 1 (left) but after it (right)");
  EXPECT_EQ(comparison.divergence->left_before.size(), 1u);
  // A race is no excuse, but nobody sees the order of equal stores.
  EXPECT_FALSE(agree(ptx().store(0, 0, 1).store(1, 0, 2), other().store(1, 0, 2).store(0, 0, 1)));
  EXPECT_TRUE(agree(ptx().store(0, 0, 1).store(1, 0, 1), other().store(1, 0, 1).store(0, 0, 1)));
}

TEST(WithoutPtx, AtomicsOfTwoThreadsMayChangePlaces) {
  Builder left = ptx().add(0, 0, 5, 100).add(1, 0, 6, 105);
  Comparison comparison = compared(left, other().add(1, 0, 6, 100).add(0, 0, 5, 106));
  EXPECT_FALSE(comparison.divergence);
  EXPECT_EQ(comparison.compared_events, 0u);
  EXPECT_EQ(comparison.order_dependent_events, 2u);
  EXPECT_EQ(compared(left, other().add(0, 0, 5, 100).add(1, 0, 6, 105)).compared_events, 2u);
  // Each must find what the one before left, and the first what was there.
  EXPECT_FALSE(agree(left, other().add(1, 0, 6, 100).add(0, 0, 5, 107)));
  EXPECT_FALSE(agree(left, other().add(1, 0, 6, 101).add(0, 0, 5, 107)));
  EXPECT_FALSE(agree(left, other().add(1, 0, 7, 100).add(0, 0, 5, 107)));
  EXPECT_FALSE(agree(left, other().add(1, 0, 6, 100)));
}

TEST(WithoutPtx, AtomicsInAFixedOrderMayNot) {
  EXPECT_FALSE(agree(ptx().add(0, 0, 5, 100).barrier({0, 1}).add(1, 0, 6, 105),
                     other().add(1, 0, 6, 100).add(0, 0, 5, 106)));
}

TEST(WithoutPtx, AnObjectOfOneSideCountsOnceWritten) {
  Builder left = ptx().store(0, 0, 1), right = other().store(0, 0, 1);
  left.trace.objects.push_back({"scratch", Space::kGlobal, 0x900000000, 16, 0});
  EXPECT_TRUE(agree(left, right));
  left.store(0, 8, 1, 4, 3);
  EXPECT_FALSE(agree(left, right));
}

TEST(WithoutPtx, SharedMemoryIsEachCtasOwn) {
  Builder left = ptx().store(0, 0, 1, 4, 1).store(0, 0, 2, 4, 1);
  left.trace.events[1].cta = 1;
  Builder right = other().store(0, 0, 2, 4, 1).store(0, 0, 1, 4, 1);
  right.trace.events[0].cta = 1;
  EXPECT_TRUE(agree(left, right));
  right.trace.events[0].cta = 0;
  EXPECT_FALSE(agree(left, right));
}

TEST(WithoutPtx, ExitsCountWhereBothRecordThem) {
  Builder left = ptx().control(EventKind::kExit, 0).control(EventKind::kExit, 1);
  EXPECT_EQ(compared(left, other()).compared_events, 0u);
  EXPECT_TRUE(agree(left, other()));
  Builder right = other().control(EventKind::kExit, 1).control(EventKind::kExit, 0);
  EXPECT_EQ(compared(left, right).compared_events, 2u);
  right.trace.events.pop_back();
  EXPECT_FALSE(agree(left, right));
}

TEST(WithoutPtx, OfBothSidesIsComparedTheSameWay) {
  EXPECT_TRUE(
      agree(other().store(0, 0, 1).add(0, 4, 1, 0), other().store(0, 0, 1).add(0, 4, 1, 0)));
  EXPECT_FALSE(agree(other().store(0, 0, 1).store(1, 0, 2), other().store(1, 0, 2).store(0, 0, 1)));
}

/// Small hand-made cases with PTX on both sides.
TEST(WithPtx, AtomicsOfACasWhoseOperandsAreUnknownMustFindOneOfTwoValues) {
  auto cas = [](Builder b, uint32_t thread, uint64_t value, uint64_t old) {
    return b.memory(EventKind::kAtomic, thread, kCasAt, 0, 0, 4, value, old);
  };
  Builder left = cas(cas(ptx(), 0, 7, 0), 1, 8, 7);
  EXPECT_TRUE(agree(left, cas(cas(ptx(), 1, 8, 0), 0, 7, 8)));   // it succeeded
  EXPECT_TRUE(agree(left, cas(cas(ptx(), 1, 8, 0), 0, 7, 0)));   // it did not
  EXPECT_FALSE(agree(left, cas(cas(ptx(), 1, 8, 0), 0, 7, 9)));  // neither
}

TEST(WithPtx, LoadsMayReadWhatTheOrderAllows) {
  // Thread 1's load is not ordered with thread 0's atomics: any of their results will do.
  Builder left = ptx().add(0, 0, 1, 0).add(0, 0, 1, 1);
  left.trace.instructions[kLoadAt].text = "ld.volatile.global.u32 %r1, [%rd1]";
  auto with_load = [&](uint64_t value) {
    Builder out = left;
    return out.load(1, 0, value);
  };
  EXPECT_TRUE(agree(with_load(2), with_load(0)));
  EXPECT_TRUE(agree(with_load(2), with_load(1)));
  EXPECT_FALSE(agree(with_load(2), with_load(3)));
}

TEST(WithPtx, LoadsMustReadTheLastWriteThatABarrierPutsBeforeThem) {
  auto with_load = [](uint64_t value) {
    return ptx().add(0, 0, 1, 0).add(2, 0, 1, 1).barrier({0, 1, 2}).load(1, 0, value);
  };
  EXPECT_TRUE(agree(with_load(2), with_load(2)));
  EXPECT_FALSE(agree(with_load(2), with_load(1)));
  EXPECT_FALSE(agree(with_load(2), with_load(0)));
}

TEST(WithPtx, LoadsMustNotReadWhatABarrierPutsAfterThem) {
  auto with_load = [](uint64_t value) {
    Builder out = ptx().add(0, 0, 1, 0).load(1, 0, value).add(2, 0, 1, 1);
    out.trace.instructions[kLoadAt].text = "ld.volatile.global.u32 %r1, [%rd1]";
    return out.barrier({0, 1, 2}).add(0, 0, 1, 2);
  };
  EXPECT_TRUE(agree(with_load(1), with_load(2)));
  EXPECT_FALSE(agree(with_load(1), with_load(3)));
}

TEST(WithPtx, AReadBeforeAStrongWriteIsOpenToo) {
  // On the left no write comes before the volatile load; on the right nothing reads after a write.
  auto made = [](uint64_t value, bool write_first, uint64_t start = 0) {
    Builder out = ptx();
    out.trace.instructions[kLoadAt].text = "ld.volatile.global.u32 %r1, [%rd1]";
    out.load(0, 0, start);
    if (write_first) out.store(0, 0, 5);
    out.load(1, 0, value);
    if (!write_first) out.store(0, 0, 5);
    return out;
  };
  // The plain store is a race with the load, which excuses nothing.
  EXPECT_FALSE(agree(made(0, false), made(5, true)));
  auto strong = [&](uint64_t value, bool write_first, uint64_t start = 0) {
    Builder out = made(value, write_first, start);
    out.trace.instructions[kStoreAt].text = "st.volatile.global.u32 [%rd1], %r1";
    return out;
  };
  EXPECT_TRUE(agree(strong(0, false), strong(5, true)));
  // Recorded before the write that it reads from: nothing puts that write after it.
  EXPECT_TRUE(agree(strong(0, false), strong(5, false)));
  EXPECT_FALSE(agree(strong(0, false), strong(1, false)));
  // The memory at the start was not the same.
  EXPECT_FALSE(agree(strong(0, false), strong(1, false, 1)));
}

TEST(WithPtx, TheOrderOfStoresOfTwoThreadsCountsUnlessTheyAreStrong) {
  Builder left = ptx().store(0, 0, 1).store(1, 0, 2), right = ptx().store(1, 0, 2).store(0, 0, 1);
  Comparison comparison = compared(left, right);
  ASSERT_TRUE(comparison.divergence);
  EXPECT_EQ(comparison.divergence->kind, Divergence::Kind::kLocation);
  for (Builder* b : {&left, &right}) {
    b->trace.instructions[kStoreAt].text = "st.volatile.global.u32 [%rd1], %r1";
  }
  EXPECT_TRUE(agree(left, right));
}

TEST(WithPtx, BarriersOrderThroughThirdThreads) {
  // Thread 0 before thread 2 by way of thread 1; without that, the atomics could decide it.
  Builder left = ptx().store(0, 0, 1).barrier({0, 1}).barrier({1, 2});
  left.add(3, 8, 1, 0).add(3, 8, 1, 1).store(2, 0, 2);
  Builder wrong = other().store(2, 0, 2).add(3, 8, 1, 0).add(3, 8, 1, 1).store(0, 0, 1);
  EXPECT_FALSE(agree(left, wrong));
  Builder without = ptx().store(0, 0, 1).add(3, 8, 1, 0).add(3, 8, 1, 1).store(2, 0, 2);
  EXPECT_TRUE(agree(without, wrong));
}

TEST(Comparable, TracesOfOtherLaunchesAreRefused) {
  Builder left = ptx(), right = ptx();
  auto refused = [&](auto change) {
    Trace changed = right.trace;
    change(changed);
    try {
      compare(left.trace, changed);
      ADD_FAILURE() << "compared";
    } catch (const diagnostics::InputError& error) {
      EXPECT_EQ(error.diagnostics().front().klass, "trace");
    }
  };
  refused([](Trace& t) { t.launch_digest = "x"; });
  refused([](Trace& t) { t.program_digest = "x"; });
  refused([](Trace& t) { t.kernel = "x"; });
  refused([](Trace& t) { t.warp_width = 32; });
  left.store(0, 0, 1);
  refused([&](Trace& t) {
    t.events = left.trace.events;
    t.events[0].object = 9;
  });
}

TEST(Comparable, NothingIsComparedAtLevelOff) {
  Builder left = ptx(), right = ptx();
  left.trace.level = Level::kOff;
  right.store(0, 0, 1);
  EXPECT_EQ(compare(left.trace, right.trace).compared_events, 0u);
  EXPECT_FALSE(compare(left.trace, right.trace).divergence);
}

}  // namespace
}  // namespace warplock::trace
