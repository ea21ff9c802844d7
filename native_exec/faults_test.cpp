#include <gmock/gmock.h>

#include "native_exec/test_support.h"

/// What is wrong with a program or a launch is said, with the line, and never harms this process.
namespace warplock::native_exec {
namespace {

using diagnostics::InputError;
using executor::Refusal;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

void expect_fault(KernelRun& run, const std::string& klass, uint32_t line,
                  const std::string& text) {
  const Refusal refusal = run.refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kFault);
  EXPECT_THAT(refusal.reason, HasSubstr(text));
  ASSERT_EQ(refusal.diagnostics.size(), 1u);
  EXPECT_EQ(refusal.diagnostics[0].klass, klass);
  EXPECT_EQ(refusal.diagnostics[0].position.line, line);
  EXPECT_THAT(refusal.diagnostics[0].file, HasSubstr("faults.cu"));
  EXPECT_THAT(refusal.diagnostics[0].line_text, HasSubstr("line " + std::to_string(line)));
}

KernelRun faults(const std::string& entry, const Words& out = {0, 0, 0, 0}) {
  KernelRun run("faults", entry);
  run.buffer(out, "out");
  return run;
}

TEST(Faults, OutOfBounds) {
  for (const int index : {4, -1, 5000, -5000, 0x7fffffff}) {
    expect_fault(faults("beyond").scalar(static_cast<uint32_t>(index)), "out of bounds", 4,
                 "store");
    expect_fault(faults("beyond_variable").scalar(static_cast<uint32_t>(index)), "out of bounds",
                 16, "store");
    expect_fault(faults("beyond_atomic").scalar(static_cast<uint32_t>(index)), "out of bounds", 32,
                 "atomicrmw add");
  }
  expect_fault(faults("beyond").scalar(4), "out of bounds", 4,
               "offset 16 of out, which has 16 bytes");
  expect_fault(faults("beyond_shared").scalar(8), "out of bounds", 11, "offset 32 of ");
  expect_fault(faults("beyond_local").scalar(8), "out of bounds", 22,
               "offset 32 of a local variable");
  expect_fault(faults("beyond_local").scalar(static_cast<uint32_t>(-1)), "out of bounds", 22, "-4");
}

TEST(Faults, OutOfBoundsLoad) {
  expect_fault(KernelRun("faults", "beyond_load").buffer({1, 2}, "in").buffer({0}).scalar(2),
               "out of bounds", 7, "offset 8 of in");
}

TEST(Faults, EmptyBuffer) {
  expect_fault(KernelRun("faults", "beyond").buffer({}, "nothing").scalar(0), "out of bounds", 4,
               "nothing");
}

TEST(Faults, NullPointer) {
  expect_fault(KernelRun("faults", "null_pointer").scalar(0, 8), "out of bounds", 26,
               "belongs to nothing");
  expect_fault(KernelRun("faults", "null_pointer").scalar(~uint64_t{3}, 8), "out of bounds", 26,
               "nothing");
}

TEST(Faults, Misaligned) {
  KernelRun run = faults("misaligned");
  expect_fault(run, "misaligned", 29, "multiple of 4");
}

TEST(Faults, NoEnd) {
  KernelRun spinning = faults("endless");
  expect_fault(spinning.steps(100'000), "step limit", 35, "100000 steps");
  KernelRun counting = faults("endless_counting");
  expect_fault(counting.steps(100'000), "step limit", 40, "100000 steps");
}

TEST(Faults, StepsAreCountedOverAllThreads) {
  KernelRun run("values", "calls");
  run.threads(8).buffer({27, 27, 27, 27, 27, 27, 27, 27}).buffer(Words(8));
  const uint64_t steps = run.execution().steps;
  EXPECT_GT(steps, 8u * 111 * 4);
  run.steps(steps);
  run.execution();
  run.steps(steps - 1000);
  EXPECT_EQ(run.refusal().diagnostics.at(0).klass, "step limit");
}

TEST(Faults, EndlessRecursion) {
  KernelRun run = faults("bottomless");
  expect_fault(run, "stack overflow", 46, "too deeply");
}

TEST(Faults, Deadlock) {
  for (const uint32_t width : {4u, 32u}) {
    KernelRun run = faults("barrier_alone");
    const Refusal refusal = run.width(width).threads(4).refusal();
    EXPECT_EQ(refusal.diagnostics.at(0).klass, "deadlock");
    EXPECT_THAT(refusal.reason, HasSubstr("1 at barrier (line 53)"));
    EXPECT_THAT(refusal.reason, HasSubstr("(line 57)"));
  }
}

TEST(Faults, MasksThatDiffer) {
  KernelRun run = faults("wrong_masks");
  expect_fault(run.width(4).threads(4), "invalid mask", 62, "does not name it");
  KernelRun three = faults("wrong_masks");
  expect_fault(three.width(4).threads(3), "deadlock", 62, "deadlock");
}

TEST(Faults, LanesOutsideTheirMask) {
  KernelRun run = faults("not_in_mask");
  expect_fault(run.threads(2), "invalid mask", 65, "lane 0");
}

TEST(Faults, LanesAtDifferentOperations) {
  const Refusal refusal = faults("different_operations").threads(2).refusal();
  EXPECT_EQ(refusal.diagnostics.at(0).klass, "invalid mask");
  EXPECT_THAT(refusal.reason, HasSubstr("vote (line 69) and reduction"));
}

TEST(Faults, Trap) {
  KernelRun run = faults("traps");
  expect_fault(run, "trap", 75, "__trap");
  EXPECT_EQ(faults("traps", {1}).output(0)[0], 5u);
}

TEST(Faults, TheNextLaunchIsUnharmed) {
  faults("beyond").scalar(4).refusal();
  EXPECT_EQ(faults("beyond").scalar(3).output(0), (Words{0, 0, 0, 1}));
}

TEST(Unsupported, InlineAssembly) {
  const Refusal refusal = faults("assembly").refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(refusal.reason, HasSubstr("inline PTX assembly: mov.u32 $0, %tid.x;"));
  EXPECT_EQ(refusal.diagnostics.at(0).position.line, 80u);
}

TEST(Unsupported, PtxWithoutCuda) {
  KernelRun run = faults("traps");
  run.program().cuda_path.reset();
  const Refusal refusal = run.refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(refusal.reason, HasSubstr("CUDA C"));
}

TEST(Unsupported, CudaThatClangRefuses) {
  const Refusal refusal = KernelRun("broken", "broken").refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_EQ(refusal.diagnostics.at(0).position.line, 3u);
  EXPECT_EQ(refusal.diagnostics.at(0).klass, "CUDA");
}

TEST(Unsupported, MoreLocalMemoryThanCudaHas) {
  const Refusal refusal = KernelRun("limits", "large").buffer({0}).refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(refusal.reason, HasSubstr("600000 bytes"));
}

TEST(Unsupported, FunctionsDefinedNowhere) {
  const Refusal refusal = KernelRun("nowhere", "calls_nothing").buffer({0, 0}).refusal();
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(refusal.reason, HasSubstr("defined_nowhere"));
}

/// A compiler that fails is no property of the kernel.
TEST(Errors, AreToldFromBadPrograms) {
  KernelRun run("values", "calls");
  run.threads(8).buffer(Words(8, 1)).buffer(Words(8));
  const std::unique_ptr<executor::Executor> native = make_native();
  setenv("WARPLOCK_CLANG", "/nowhere/clang", 1);
  const auto missing = native->run(run.program(), run.launch(), trace::Level::kOff);
  EXPECT_THAT(why_missing(), HasSubstr("/nowhere/clang"));
  unsetenv("WARPLOCK_CLANG");
  EXPECT_EQ(std::get<Refusal>(missing).kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(std::get<Refusal>(missing).reason, HasSubstr("/nowhere/clang"));
  EXPECT_EQ(native->run(run.program(), run.launch(), trace::Level::kOff).index(), 0u);
}

void expect_bad_input(KernelRun& run, const std::string& klass, const std::string& text) {
  try {
    run.outcome();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].klass, klass);
    EXPECT_THAT(error.diagnostics()[0].message, HasSubstr(text));
    EXPECT_EQ(error.diagnostics()[0].file, "launch.json");
    EXPECT_EQ(error.diagnostics()[0].position, (diagnostics::Position{1, 11}));
  }
}

TEST(BadLaunch, EntryThatIsNotThere) {
  KernelRun run = faults("nothing_of_this_name");
  expect_bad_input(run, "entry not found", "nothing_of_this_name");
  KernelRun device = faults("deeper");
  expect_bad_input(device, "entry not found", "deeper");
}

TEST(BadLaunch, ArgumentsThatDoNotFit) {
  KernelRun none = KernelRun("faults", "beyond");
  expect_bad_input(none, "argument mismatch", "takes 2 arguments, the launch has 0");
  KernelRun many = faults("traps");
  expect_bad_input(many.scalar(1), "argument mismatch", "takes 1 arguments, the launch has 2");
  KernelRun wide = faults("beyond");
  expect_bad_input(wide.scalar(1, 8), "argument mismatch", "has 8 bytes, the parameter has 4");
  KernelRun narrow = KernelRun("faults", "traps");
  expect_bad_input(narrow.scalar(1, 4), "argument mismatch", "has 4 bytes, the parameter has 8");
}

}  // namespace
}  // namespace warplock::native_exec
