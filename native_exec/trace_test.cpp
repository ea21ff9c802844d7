#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "native_exec/test_support.h"

/// The events that a run leaves.
namespace warplock::native_exec {
namespace {

using ::testing::ElementsAre;
using trace::Event;
using trace::EventKind;
using trace::Space;
using Words = std::vector<uint32_t>;

std::vector<std::string> object_names(const trace::Trace& trace) {
  std::vector<std::string> names;
  for (const trace::Object& object : trace.objects) names.push_back(object.name);
  return names;
}

TEST(Trace, HasTheHeadOfTheLaunch) {
  KernelRun run("sync", "flag");
  run.program().ptx_path = "flag.ptx";
  const auto trace = run.width(4).threads(2).buffer({0, 0}).execution().trace;
  EXPECT_EQ(trace.executor, "native");
  EXPECT_THAT(trace.executor_version, ::testing::MatchesRegex("clang [0-9.]+, LLVM 19[0-9.]+"));
  EXPECT_EQ(trace.kernel, "flag");
  EXPECT_EQ(trace.program_digest, "digest of the PTX");
  EXPECT_EQ(trace.launch_digest.size(), 64u);
  EXPECT_EQ(trace.ptx_file, "flag.ptx");
  EXPECT_EQ(trace.cuda_file, *run.program().cuda_path);
  EXPECT_EQ(trace.level, trace::Level::kMemory);
  EXPECT_EQ(trace.warp_width, 4u);
}

TEST(Trace, ListsBuffersInOrderThenVariablesByName) {
  KernelRun run("sync", "reverse");
  const auto trace =
      run.threads(8).shared(32).buffer(Words(8), "zz").buffer(Words(8), "aa").execution().trace;
  EXPECT_THAT(object_names(trace),
              ElementsAre("zz", "aa", "_ZZ10early_exitE3sum", "_ZZ7reverseE6buffer", "cell",
                          "factors", "lock", "turns", "dynamic shared"));
  EXPECT_EQ(trace.objects[3].space, Space::kShared);
  EXPECT_EQ(trace.objects[3].size, 256u);
  EXPECT_EQ(trace.objects[8].size, 32u);
  EXPECT_EQ(trace.objects[0].space, Space::kGlobal);
}

TEST(Trace, RecordsLoadsStoresAndAtomicsWithTheirPlaces) {
  const auto trace = KernelRun("sync", "early_exit")
                         .width(4)
                         .threads(3)
                         .buffer(Words(3), "out")
                         .scalar(2)
                         .execution()
                         .trace;
  struct Seen {
    uint32_t thread, line;
    EventKind kind;
    Space space;
    uint64_t offset, value, old;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  for (const Event& event : trace.events) {
    EXPECT_EQ(event.width, 4);
    EXPECT_EQ(event.occurrence, 0u);
    EXPECT_EQ(trace.instructions.at(event.instruction).ptx_index, trace::kNoPtxIndex);
    seen.push_back({event.thread, trace.instructions.at(event.instruction).cuda_line, event.kind,
                    event.space, event.offset, event.value, event.old});
  }
  EXPECT_THAT(seen, ElementsAre(Seen{0, 27, EventKind::kStore, Space::kShared, 0, 0, 0},
                                Seen{0, 30, EventKind::kAtomic, Space::kShared, 0, 0, 0},
                                Seen{1, 30, EventKind::kAtomic, Space::kShared, 0, 1, 0},
                                Seen{1, 32, EventKind::kLoad, Space::kShared, 0, 1, 0},
                                Seen{1, 32, EventKind::kStore, Space::kGlobal, 4, 1, 0},
                                Seen{0, 32, EventKind::kLoad, Space::kShared, 0, 1, 0},
                                Seen{0, 32, EventKind::kStore, Space::kGlobal, 0, 1, 0}));
}

TEST(Trace, SplitsVectorsIntoElements) {
  const auto trace =
      KernelRun("values", "widths").threads(1).buffer(Words(4)).buffer(Words(4)).execution().trace;
  std::vector<std::pair<uint64_t, uint32_t>> vector;  // offset, width
  for (const Event& event : trace.events) {
    if (event.object == 1) vector.emplace_back(event.offset, event.width);
  }
  EXPECT_THAT(vector,
              ElementsAre(std::pair(0, 4), std::pair(4, 4), std::pair(8, 4), std::pair(12, 4)));
}

TEST(Trace, CountsOccurrencesOfAnInstruction) {
  const auto alone =
      KernelRun("sync", "spin_lock").threads(1).blocks(2).buffer({0}).execution().trace;
  for (const Event& event : alone.events) EXPECT_EQ(event.occurrence, 0u);
  const auto trace = KernelRun("sync", "spin_lock").threads(3).buffer({0}).execution().trace;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> next;  // by thread and instruction
  uint32_t most = 0;
  for (const Event& event : trace.events) {
    EXPECT_EQ(event.occurrence, (next[{event.thread, event.instruction}]++));
    most = std::max(most, event.occurrence);
  }
  EXPECT_GE(most, 1u);
}

TEST(Trace, IsEmptyWhenOff) {
  auto execution =
      KernelRun("sync", "flag").threads(5).buffer({0, 0}).execution(trace::Level::kOff);
  EXPECT_TRUE(execution.trace.events.empty());
  EXPECT_EQ(execution.outputs[0].second, (Words{41, 42}));
  EXPECT_EQ(execution.trace.level, trace::Level::kOff);
}

TEST(Trace, HasNoMoreThanMemoryEvents) {
  KernelRun run("sync", "flag");
  const auto execution = run.threads(5).buffer({0, 0}).execution(trace::Level::kRegisters);
  EXPECT_EQ(execution.trace.level, trace::Level::kMemory);
  EXPECT_EQ(make_native()->capabilities().max_level, trace::Level::kMemory);
  EXPECT_TRUE(make_native()->capabilities().needs_cuda);
}

}  // namespace
}  // namespace warplock::native_exec
