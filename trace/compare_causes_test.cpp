// What excuses a difference of registers, in traces written by hand: two threads take a ticket
// each, in another order on the two sides, and go on.
#include <gtest/gtest.h>

#include "trace/compare.h"
#include "trace/explain.h"

namespace warplock::trace {
namespace {

/// Two threads take tickets: thread `first` gets 0, the other 1.
struct Tickets {
  explicit Tickets(uint32_t first_thread) : first(first_thread) {
    trace.executor = "by hand";
    trace.level = Level::kRegisters;
    trace.warp_width = 4;
    trace.objects = {{"counter", Space::kGlobal, 0x1000, 4, 0}};
    for (uint32_t thread : {first, 1 - first}) {
      uint64_t ticket = thread == first ? 0 : 1;
      Event atomic = event(thread, "atom.global.add.u32 %r1, [%rd1], 1");
      atomic.kind = EventKind::kAtomic;
      atomic.space = Space::kGlobal;
      atomic.value = 1;
      atomic.old = ticket;
      trace.events.push_back(atomic);
      reg(thread, "atom.global.add.u32 %r1, [%rd1], 1", "%r1", ticket);
    }
  }
  uint64_t ticket(uint32_t thread) const { return thread == first ? 0 : 1; }

  Event event(uint32_t thread, const std::string& text) {
    Event e;
    e.thread = thread;
    e.width = 4;
    for (e.instruction = 0; e.instruction < trace.instructions.size(); ++e.instruction) {
      if (trace.instructions[e.instruction].text == text) return e;
    }
    trace.instructions.push_back({e.instruction, e.instruction + 1, 0, text});
    return e;
  }
  Tickets& reg(uint32_t thread, const std::string& text, const std::string& name, uint64_t value) {
    Event e = event(thread, text);
    for (e.object = 0; e.object < trace.register_names.size(); ++e.object) {
      if (trace.register_names[e.object] == name) break;
    }
    if (e.object == trace.register_names.size()) trace.register_names.push_back(name);
    e.value = value;
    trace.events.push_back(e);
    return *this;
  }
  Tickets& exit(uint32_t thread) {
    Event e = event(thread, "exit");
    e.kind = EventKind::kExit;
    e.width = 0;
    trace.events.push_back(e);
    return *this;
  }

  uint32_t first;
  Trace trace;
};

bool agree(const Tickets& left, const Tickets& right) {
  Comparison forth = compare(left.trace, right.trace), back = compare(right.trace, left.trace);
  EXPECT_EQ(forth.divergence.has_value(), back.divergence.has_value());
  return !forth.divergence;
}

/// Both orders, each followed by what `then` adds.
template <typename F>
bool agrees_then(F then) {
  Tickets left(0), right(1);
  then(left);
  then(right);
  return agree(left, right);
}

TEST(Causes, AnUnrelatedRegisterIsNotExcused) {
  EXPECT_TRUE(
      agrees_then([](Tickets& t) { t.reg(0, "add.u32 %r2, %r1, 5", "%r2", t.ticket(0) + 5); }));
  EXPECT_TRUE(agrees_then([](Tickets& t) { t.reg(0, "add.u32 %r2, %r9, 5", "%r2", 5); }));
  EXPECT_FALSE(
      agrees_then([](Tickets& t) { t.reg(0, "add.u32 %r2, %r9, 5", "%r2", t.ticket(0) + 5); }));
}

TEST(Causes, TheRegisterOfAnAtomicMustHoldItsOldValue) {
  Tickets left(0), right(1);
  ASSERT_TRUE(agree(left, right));
  right.trace.events.back().value ^= 4;
  EXPECT_FALSE(agree(left, right));
}

TEST(Causes, ShufflesReadOtherLanes) {
  const char* text = "shfl.sync.idx.b32 %r2|%p1, %r1, 0, 31, -1";
  // Threads 0 to 3 are a warp; thread 5 is in another.
  EXPECT_TRUE(agrees_then([&](Tickets& t) { t.reg(2, text, "%r2", t.ticket(0)); }));
  EXPECT_FALSE(agrees_then([&](Tickets& t) { t.reg(5, text, "%r2", t.ticket(0)); }));
  EXPECT_FALSE(
      agrees_then([&](Tickets& t) { t.reg(2, "add.u32 %r2, %r1, 0", "%r2", t.ticket(0)); }));
  EXPECT_TRUE(agrees_then(
      [&](Tickets& t) { t.reg(5, "bar.red.popc.u32 %r2, 0, %r1", "%r2", t.ticket(0)); }));
}

TEST(Causes, TheCarryFlagPassesDifferencesOn) {
  EXPECT_TRUE(agrees_then([](Tickets& t) {
    t.reg(0, "add.cc.u32 %r2, %r1, 0xffffffff", "%r2", t.ticket(0) - 1 + 0x100000000);
    t.reg(0, "addc.u32 %r3, %r8, 0", "%r3", t.ticket(0));
  }));
  EXPECT_FALSE(agrees_then([](Tickets& t) {
    t.reg(0, "add.cc.u32 %r2, %r9, 0xffffffff", "%r2", 7);
    t.reg(0, "addc.u32 %r3, %r8, 0", "%r3", t.ticket(0));
  }));
}

TEST(Causes, ClocksAreOpen) {
  EXPECT_TRUE(
      agrees_then([](Tickets& t) { t.reg(0, "mov.u32 %r2, %clock", "%r2", t.first + 70); }));
  EXPECT_FALSE(
      agrees_then([](Tickets& t) { t.reg(0, "mov.u32 %r2, %laneid", "%r2", t.first + 70); }));
}

TEST(Causes, AnActiveMaskHasItsOwnLaneAndNoneThatExited) {
  auto mask = [](uint64_t left, uint64_t right) {
    return agrees_then([&](Tickets& t) {
      t.exit(2).reg(0, "activemask.b32 %r2", "%r2", t.first == 0 ? left : right);
    });
  };
  EXPECT_TRUE(mask(1, 3));
  EXPECT_TRUE(mask(1, 1));
  EXPECT_FALSE(mask(1, 2));
  EXPECT_FALSE(mask(1, 5));
}

TEST(Causes, AGuardThatDiffersMaySkipAnInstruction) {
  auto guarded = [](const char* setp, bool by_ticket) {
    return agrees_then([&](Tickets& t) {
      t.reg(0, setp, "%p1", by_ticket ? t.ticket(0) : 0);
      t.event(0, "@%p1 mov.u32 %r2, 7");  // both tables have it
      if (t.first == 0) t.reg(0, "@%p1 mov.u32 %r2, 7", "%r2", 7);
      t.reg(0, "add.u32 %r3, %r2, 1", "%r3", t.first == 0 ? 8 : 1);
      t.exit(0);
    });
  };
  EXPECT_TRUE(guarded("setp.ne.u32 %p1, %r1, 0", true));
  EXPECT_FALSE(guarded("setp.ne.u32 %p1, %r9, 0", false));
}

TEST(Causes, CallsPassValuesThatNamesDoNotFollow) {
  auto then = [](bool call) {
    return agrees_then([&](Tickets& t) {
      if (call) t.event(0, "call.uni (%r7), f, (%r1)");
      t.reg(0, "add.u32 %r2, %r9, 5", "%r2", t.ticket(0) + 5);
    });
  };
  EXPECT_TRUE(then(true));
  EXPECT_FALSE(then(false));
}

TEST(Causes, RegistersThatTextsDoNotNameCannotBeFollowed) {
  EXPECT_TRUE(
      agrees_then([](Tickets& t) { t.reg(0, "add.u32 %r2, %r9, 5", "f.%r2", t.ticket(0)); }));
}

}  // namespace
}  // namespace warplock::trace
