#include "trace/explain.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/compare.h"
#include "trace/tiny_gpu.h"
#include "trace/tiny_kernels.h"

namespace warplock::trace {
namespace {

using testing::HasSubstr;

const char kCuda[] =
    "__global__ void kernel(int *out) {\n"
    "  int x = threadIdx.x;\n"
    "\tout[x] = x - 8;  // \x1b[31mred\n"
    "}\n";

Trace hand_made() {
  Trace trace;
  trace.executor = "reference";
  trace.executor_version = "0.1";
  trace.kernel = "kernel";
  trace.ptx_file = "dir/k.ptx";
  trace.cuda_file = "dir/k.cu";
  trace.level = Level::kRegisters;
  trace.warp_width = 4;
  trace.instructions = {{0, 11, 2, "mov.u32 %r1, %tid.x"},
                        {1, 12, 3, "add.s32 %r2, %r1, -8"},
                        {2, 13, 3, "st.global.u32 [%rd1], %r2"},
                        {3, 14, 4, "ret"}};
  trace.register_names = {"%r1", "%r2"};
  trace.objects = {{"out", Space::kGlobal, 0x10000, 64, 0}};
  auto add = [&](EventKind kind, uint32_t instruction, uint32_t object, uint64_t value) {
    Event e;
    e.thread = 6;
    e.kind = kind;
    e.instruction = instruction;
    e.object = object;
    e.value = value;
    e.width = kind == EventKind::kExit ? 0 : 4;
    if (kind == EventKind::kStore) e.space = Space::kGlobal, e.offset = 24;
    trace.events.push_back(e);
  };
  add(EventKind::kRegister, 0, 0, 6);
  add(EventKind::kRegister, 1, 1, 0xfffffffe);
  add(EventKind::kStore, 2, 0, 0xfffffffe);
  add(EventKind::kExit, 3, 0, 0);
  return trace;
}

std::string explained(const Trace& left, const Trace& right, ExplainOptions options = {}) {
  Comparison comparison = compare(left, right);
  if (!comparison.divergence) return "no divergence";
  return explain(left, right, *comparison.divergence, options);
}

TEST(Explain, AValue) {
  Trace left = hand_made(), right = hand_made();
  right.executor = "machine";
  right.device = "emulator";
  right.events[1].value = 0xfffffffa;
  right.events[2].value = 0xfffffffa;
  diagnostics::SourceText cuda("dir/k.cu", kCuda);
  ExplainOptions options;
  options.cuda = &cuda;
  options.reproduce = "warplock run k.cu --launch l.json --on reference,machine";
  EXPECT_EQ(explained(left, right, options),
            R"(First divergence in kernel kernel
  what     value of %r2: 4294967294 (left) but 4294967290 (right)
  left     reference 0.1
  right    machine 0.1 (emulator)
  where    cta 0, thread 6 (warp 1, lane 2), execution 1 of the instruction by this thread
  CUDA C   k.cu:3  out[x] = x - 8;  // ?[31mred
  PTX      k.ptx:12  add.s32 %r2, %r1, -8

           left                  right                 difference (left - right)
  unsigned 4294967294            4294967290            4
  signed   -2                    -6
  hex      0xfffffffe            0xfffffffa            0x00000004 differ
  binary   1111 1111 1111 1111 1111 1111 1111 1110
           1111 1111 1111 1111 1111 1111 1111 1010
                                               ^

  the 1 event of the thread before it, the same on both sides
    ptx:11 cuda:2  mov.u32 %r1, %tid.x                      %r1 = 6

  again    warplock run k.cu --launch l.json --on reference,machine
)");
}

TEST(Explain, AnEventThatIsMissing) {
  Trace left = hand_made(), right = hand_made();
  right.events.pop_back();
  EXPECT_EQ(explained(left, right),
            R"(First divergence in kernel kernel
  what     the thread ends here (right) but goes on with exit of `ret` (left)
  left     reference 0.1
  right    reference 0.1
  where    cta 0, thread 6 (warp 1, lane 2), execution 1 of the instruction by this thread
  CUDA C   k.cu:4
  PTX      k.ptx:14  ret

  left     exits
  right    nothing

  the 3 events of the thread before it, the same on both sides
    ptx:11 cuda:2  mov.u32 %r1, %tid.x                      %r1 = 6
    ptx:12 cuda:3  add.s32 %r2, %r1, -8                     %r2 = 4294967294 (0xfffffffe)
    ptx:13 cuda:3  st.global.u32 [%rd1], %r2                out+24 = 4294967294 (0xfffffffe)
)");
}

TEST(Explain, AnotherInstruction) {
  Trace left = hand_made(), right = hand_made();
  right.events[2].instruction = 3;
  right.events[2].kind = EventKind::kExit;
  right.events.pop_back();
  std::string text = explained(left, right);
  EXPECT_THAT(text, HasSubstr("next event: store of `st.global.u32 [%rd1], %r2` (left) but exit of "
                              "`ret` (right)"));
  EXPECT_THAT(text, HasSubstr("k.ptx:13  st.global.u32 [%rd1], %r2\n"));
  EXPECT_THAT(text, HasSubstr("k.ptx:14  ret\n"));

  // Values of two different instructions say nothing about each other.
  right = hand_made();
  right.events[1].instruction = 0;
  right.events[1].value = 5;
  text = explained(left, right);
  EXPECT_THAT(text, HasSubstr("next event: reg of `add.s32 %r2, %r1, -8` (left)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("unsigned")));
}

TEST(Explain, ALocation) {
  Trace left = hand_made(), right = hand_made();
  right.events[2].value = 5;
  std::string text = explained(without_ptx(left), without_ptx(right));
  EXPECT_THAT(text, HasSubstr("value stored to out+24: 4294967294 (left) but 5 (right)"));
  EXPECT_THAT(text, HasSubstr("executes st.global.u32 [%rd1], %r2\n"));
  EXPECT_THAT(text, HasSubstr("no events of the location before it\n"));
}

TEST(Explain, AtomicsShowTheOldValue) {
  Trace left = hand_made();
  left.instructions[2].text = "atom.global.add.u32 %r2, [%rd1], 1";
  left.events[2].kind = EventKind::kAtomic;
  left.events[2].old = 3;
  Trace right = left;
  right.events[2].old = 1;
  EXPECT_THAT(explained(left, right), HasSubstr("  unsigned 3                     1"));
}

TEST(Explain, ColourMarksOnlyWhatDiffers) {
  Trace left = hand_made(), right = hand_made();
  right.events[1].value = 0xfffffffa;
  ExplainOptions options;
  options.color = true;
  std::string text = explained(left, right, options);
  EXPECT_THAT(text, HasSubstr("1\x1b[31m1\x1b[0m10\n"));
  EXPECT_THAT(explained(left, right), testing::Not(HasSubstr("\x1b")));
}

/// However long the names and texts, and at any width: at most 100 columns and one screen.
TEST(Explain, StaysOnOneScreen) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    TinyLaunch launch;
    launch.seed = seed;
    Trace left = run_tiny(tiny_kernels::kPlain, launch);
    left.kernel = left.executor = std::string(300, 'k');
    left.ptx_file = std::string(300, 'p');
    for (Instruction& instruction : left.instructions) instruction.text += std::string(300, 'x');
    for (Object& object : left.objects) object.name += std::string(200, 'n');
    for (size_t i = 0; i < left.events.size(); i += 7) {
      Trace right = left;
      const uint32_t bits = 8 * std::max<uint32_t>(1, right.events[i].width);
      right.events[i].value ^= uint64_t{1} << (bits - 1);
      std::string text = explained(left, right);
      size_t lines = 0;
      std::istringstream in(text);
      for (std::string line; std::getline(in, line); ++lines) {
        EXPECT_LE(line.size(), 100u) << line;
      }
      if (text != "no divergence") {
        EXPECT_GE(lines, 8u);
      }
      EXPECT_LE(lines, 45u) << text;
    }
  }
}

TEST(Describe, EveryKindOfEvent) {
  Trace trace = hand_made();
  auto text = [&](auto change) {
    Event e = trace.events[2];
    change(e);
    return describe(trace, e);
  };
  const std::string start = "cta 0 thread 6  ptx:13 cuda:3  st.global.u32 [%rd1], %r2  ";
  EXPECT_EQ(text([](Event& e) { e.value = 7; }), start + "out+24 = 7");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kRegister, e.object = 1, e.value = 70; }),
            start + "%r2 = 70 (0x46)");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kLoad, e.value = 1; }),
            start + "read 1 from out+24");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kAtomic, e.value = 1, e.old = 2; }),
            start + "out+24 was 2, operand 1");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kBranch, e.value = 0; }), start + "not taken");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kBranch, e.value = 4; }),
            start + "taken to instruction 3");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kBarrierArrive, e.value = 2; }),
            start + "arrives at barrier 2");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kBarrierRelease, e.value = 2; }),
            start + "leaves barrier 2");
  EXPECT_EQ(text([](Event& e) { e.kind = EventKind::kExit; }), start + "exits");
  EXPECT_EQ(text([](Event& e) { e.value = 0x10004; }), start + "out+24 = out+4 (0x10004)");
  // Events that fit no table are described all the same.
  EXPECT_EQ(text([](Event& e) { e.instruction = 99, e.object = 99, e.value = 1; }),
            "cta 0 thread 6  instruction 99  object 99+24 = 1");
}

}  // namespace
}  // namespace warplock::trace
