#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "reference_interp/test_support.h"

/// The executor's interface: bad launches, special registers, traces, planted faults.
namespace warplock::reference_interp {
namespace {

using ::testing::HasSubstr;
using namespace testing;
using trace::EventKind;
using trace::Level;

executor::Launch from_text(const std::string& json) {
  return executor::parse_launch(std::make_shared<diagnostics::SourceText>("launch.json", json));
}

diagnostics::Diagnostic refused(const std::string& ptx, const executor::Launch& launch) {
  try {
    run(ptx, launch);
  } catch (const diagnostics::InputError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST(LaunchCheck, EntryNotFoundStandsInTheLaunch) {
  const auto launch = from_text(
      "{\n  \"entry\": \"nope\",\n  \"grid\": [1, 1, 1],\n  \"block\": [1, 1, 1],\n  "
      "\"warp_width\": 4,\n  \"arguments\": []\n}");
  const auto error = refused(kernel_of(0, ""), launch);
  EXPECT_EQ(error.klass, "entry not found");
  EXPECT_EQ(error.file, "launch.json");
  EXPECT_EQ(error.position.line, 2u);
  EXPECT_THAT(error.message, HasSubstr("the module has k"));
}

TEST(LaunchCheck, ArgumentsThatDoNotFit) {
  EXPECT_EQ(refused(kernel_of(1, ""), launch_of(4, 1, {})).klass, "argument mismatch");
  EXPECT_EQ(refused(kernel_of(1, ""), launch_of(4, 1, {scalar("n", 1, 4)})).klass,
            "argument mismatch");
  const std::string ptx = module_of(".visible .entry k(.param .u16 a, .param .u8 b)\n{\nret;\n}");
  EXPECT_EQ(refused(ptx, launch_of(4, 1, {scalar("a", 1, 2), scalar("b", 1, 4)})).klass,
            "argument mismatch");
  completes(ptx, launch_of(4, 1, {scalar("a", 1, 2), scalar("b", 1, 1)}));
}

TEST(LaunchCheck, BlockLimits) {
  const std::string most = module_of(".visible .entry k() .maxntid 16, 2, 1\n{\nret;\n}");
  completes(most, launch_of(4, 32, {}));
  EXPECT_EQ(refused(most, launch_of(4, 33, {})).klass, "block size");
  const std::string exact = module_of(".visible .entry k() .reqntid 16\n{\nret;\n}");
  completes(exact, launch_of(4, 16, {}));
  EXPECT_EQ(refused(exact, launch_of(4, 15, {})).klass, "block size");
}

TEST(LaunchCheck, TooMuchLocalOrSharedMemory) {
  std::string ptx = kernel_of(0, ".local .align 4 .b8 big[524289];");
  auto error = refused(ptx, launch_of(4, 1, {}));
  EXPECT_EQ(error.klass, "resource limit");
  EXPECT_EQ(error.position.line, line_of(ptx, ".local"));
  ptx = kernel_of(0, "mov.u32 %r1, a;\nmov.u32 %r1, b;",
                  ".shared .b8 a[200000];\n.shared .b8 b[200000];");
  error = refused(ptx, launch_of(4, 1, {}));
  EXPECT_EQ(error.klass, "resource limit");
  EXPECT_THAT(error.message, HasSubstr(".shared have more than 232448 bytes"));
}

TEST(LaunchCheck, OtherWidthsAreUnsupported) {
  const auto outcome = run(kernel_of(0, ""), launch_of(16, 1, {}));
  const auto* refusal = std::get_if<executor::Refusal>(&outcome);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->kind, executor::Refusal::Kind::kUnsupported);
}

TEST(SpecialRegisters, AllOfThem) {
  for (const uint32_t width : {4u, 32u}) {
    const std::vector<std::string> names{
        "%tid.x",       "%tid.y",       "%tid.z",      "%ntid.x",   "%ntid.y",      "%ntid.z",
        "%ctaid.x",     "%ctaid.y",     "%ctaid.z",    "%nctaid.x", "%nctaid.y",    "%nctaid.z",
        "%laneid",      "%warpid",      "%nwarpid",    "WARP_SZ",   "%lanemask_eq", "%lanemask_le",
        "%lanemask_lt", "%lanemask_ge", "%lanemask_gt"};
    std::string body = fmt::format(
        "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.z;\nmad.lo.u32 %r1, %r2, 3, %r1;\n"
        "mad.lo.u32 %r1, %r1, 5, %tid_;\nmov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %ctaid.z;\n"
        "mad.lo.u32 %r3, %r4, 2, %r3;\nmov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r3, %r3, 2, %r4;\n"
        "mad.lo.u32 %r1, %r3, 30, %r1;\nmul.wide.u32 %rd1, %r1, {};\nadd.u64 %rd1, %rd0, %rd1;\n",
        4 * names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      body += fmt::format("mov.u32 %r9, {};\nst.global.u32 [%rd1+{}], %r9;\n", names[i], 4 * i);
    }
    executor::Launch launch =
        launch_of(width, 1, {buffer("out", std::vector<uint32_t>(8 * 30 * names.size()))});
    launch.block = {5, 3, 2};
    launch.grid = {2, 2, 2};
    const auto out = output_of(completes(kernel_of(1, body), launch), "out");
    for (uint32_t cta = 0; cta < 8; ++cta) {
      for (uint32_t t = 0; t < 30; ++t) {
        const uint32_t lane = t % width, bit = 1u << lane;
        const uint32_t all = width == 32 ? 0xffffffff : 0xf;
        const std::vector<uint32_t> want{t % 5,
                                         t / 5 % 3,
                                         t / 15,
                                         5,
                                         3,
                                         2,
                                         cta % 2,
                                         cta / 2 % 2,
                                         cta / 4,
                                         2,
                                         2,
                                         2,
                                         lane,
                                         t / width,
                                         (30 + width - 1) / width,
                                         width,
                                         bit,
                                         bit | (bit - 1),
                                         bit - 1,
                                         all & ~(bit - 1),
                                         all & ~(bit | (bit - 1))};
        const auto at = out.begin() + static_cast<std::ptrdiff_t>((cta * 30 + t) * names.size());
        EXPECT_EQ(std::vector<uint32_t>(at, at + static_cast<std::ptrdiff_t>(names.size())), want)
            << "cta " << cta << " thread " << t;
      }
    }
  }
}

TEST(SpecialRegisters, ClockGrows) {
  const std::string ptx = kernel_of(
      1,
      "mov.u64 %rd1, %clock64;\nmov.u32 %r1, %clock;\nmov.u64 %rd2, %clock64;\n"
      "setp.gt.u64 %p1, %rd2, %rd1;\nselp.u32 %r2, 1, 0, %p1;\nst.global.u32 [%rd0], %r2;");
  EXPECT_EQ(output_of(completes(ptx, launch_of(4, 1, {buffer("out", {0})})), "out")[0], 1u);
}

/// One of everything that is recorded.
const char* kTraced =
    "mul.wide.u32 %rd10, %tid_, 4;\nadd.u64 %rd10, %rd0, %rd10;\nld.global.u32 %r1, [%rd10];\n"
    "setp.eq.u32 %p1, %tid_, 0;\n@%p1 bra SKIP;\nst.shared.v2.u16 [s+4], {%rs1, %rs1};\nSKIP:\n"
    "bar.sync 2;\n@%p1 atom.global.add.u32 %r2, [%rd0+4], 5;\nst.local.u8 [l+1], 7;";

std::string traced_kernel() {
  return kernel_of(1, fmt::format(".local .align 4 .b8 l[4];\nmov.u16 %rs1, 9;\n{}", kTraced),
                   ".shared .align 4 .b32 s[2];\n.global .align 4 .u32 zeta[1];\n.const .align 4 "
                   ".u32 alpha[1] = {1};");
}

TEST(Traces, ObjectsInOrder) {
  const auto trace =
      completes(traced_kernel(), launch_of(4, 2, {buffer("out", {3, 4})}), Level::kRegisters).trace;
  std::vector<std::string> names;
  for (const auto& object : trace.objects) names.push_back(object.name);
  EXPECT_EQ(names, (std::vector<std::string>{"out", "alpha", "zeta", "s", "local"}));
  for (const auto& object : trace.objects) EXPECT_NE(object.base, 0u);
  EXPECT_EQ(trace.executor, "reference");
  EXPECT_EQ(trace.kernel, "k");
  EXPECT_EQ(trace.warp_width, 4u);
  EXPECT_FALSE(trace.launch_digest.empty());
}

TEST(Traces, EveryKindOfEvent) {
  const std::string ptx = traced_kernel();
  const auto trace =
      completes(ptx, launch_of(4, 2, {buffer("out", {3, 4})}), Level::kRegisters).trace;
  const auto of = [&](EventKind kind, uint32_t thread) {
    std::vector<trace::Event> found;
    std::copy_if(trace.events.begin(), trace.events.end(), std::back_inserter(found),
                 [&](const auto& e) { return e.kind == kind && e.thread == thread; });
    return found;
  };
  const auto line = [&](const trace::Event& e) {
    return trace.instructions[e.instruction].ptx_line;
  };

  const auto loads = of(EventKind::kLoad, 1);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(trace.objects[loads[0].object].name, "out");
  EXPECT_EQ(loads[0].offset, 4u);
  EXPECT_EQ(loads[0].value, 4u);
  EXPECT_EQ(line(loads[0]), line_of(ptx, "ld.global.u32 %r1"));

  const auto branch0 = of(EventKind::kBranch, 0), branch1 = of(EventKind::kBranch, 1);
  ASSERT_EQ(branch0.size(), 1u);
  ASSERT_EQ(branch1.size(), 1u);
  EXPECT_EQ(trace.instructions[branch0[0].value - 1].ptx_line, line_of(ptx, "bar.sync"));
  EXPECT_EQ(branch1[0].value, 0u);

  const auto stores = of(EventKind::kStore, 1);
  ASSERT_EQ(stores.size(), 3u);  // two elements, and the local byte
  EXPECT_EQ(stores[0].space, trace::Space::kShared);
  EXPECT_EQ(stores[1].element, 1u);
  EXPECT_EQ(stores[1].offset, 6u);
  EXPECT_EQ(stores[1].width, 2u);
  EXPECT_EQ(stores[1].value, 9u);
  EXPECT_EQ(stores[2].space, trace::Space::kLocal);
  EXPECT_EQ(stores[2].offset, 1u);
  EXPECT_EQ(of(EventKind::kStore, 0).size(), 1u);

  const auto atomics = of(EventKind::kAtomic, 0);
  ASSERT_EQ(atomics.size(), 1u);
  EXPECT_EQ(atomics[0].value, 5u);
  EXPECT_EQ(atomics[0].old, 4u);
  EXPECT_TRUE(of(EventKind::kAtomic, 1).empty());

  for (uint32_t thread : {0u, 1u}) {
    ASSERT_EQ(of(EventKind::kBarrierArrive, thread).size(), 1u);
    ASSERT_EQ(of(EventKind::kBarrierRelease, thread).size(), 1u);
    EXPECT_EQ(of(EventKind::kBarrierRelease, thread)[0].value, 2u);
    EXPECT_EQ(of(EventKind::kExit, thread).size(), 1u);
  }
  const auto registers = of(EventKind::kRegister, 1);
  const auto r1 = std::find_if(registers.begin(), registers.end(), [&](const auto& e) {
    return trace.register_names[e.object] == "%r1";
  });
  ASSERT_NE(r1, registers.end());
  EXPECT_EQ(r1->value, 4u);
  EXPECT_EQ(r1->width, 4u);
  const auto p1 = std::find_if(registers.begin(), registers.end(), [&](const auto& e) {
    return trace.register_names[e.object] == "%p1";
  });
  ASSERT_NE(p1, registers.end());
  EXPECT_EQ(p1->width, 1u);
  EXPECT_EQ(p1->value, 0u);
}

TEST(Traces, LevelsAreNested) {
  const auto launch = launch_of(4, 2, {buffer("out", {3, 4})});
  const auto all = completes(traced_kernel(), launch, Level::kRegisters).trace.events;
  auto memory = completes(traced_kernel(), launch, Level::kMemory).trace.events;
  EXPECT_TRUE(completes(traced_kernel(), launch, Level::kOff).trace.events.empty());
  std::vector<trace::Event> expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
               [](const auto& e) { return e.kind != EventKind::kRegister; });
  EXPECT_EQ(memory, expected);
}

TEST(Traces, OccurrencesCountExecutions) {
  const std::string ptx =
      kernel_of(1,
                "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 3;\n"
                "setp.eq.u32 %p2, %r1, 2;\n@%p2 mov.u32 %r2, 5;\n@%p1 bra L;");
  const auto trace = completes(ptx, launch_of(4, 1, {buffer("out", {0})}), Level::kRegisters).trace;
  std::vector<uint32_t> adds, moves;
  for (const auto& e : trace.events) {
    if (trace.instructions[e.instruction].text.starts_with("add.u32")) adds.push_back(e.occurrence);
    if (trace.instructions[e.instruction].text.ends_with("mov.u32 %r2, 5"))
      moves.push_back(e.occurrence);
  }
  EXPECT_EQ(adds, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(moves, (std::vector<uint32_t>{0}));  // guarded off twice, which is no execution
}

TEST(PlantedFaults, ReplaceOrDistort) {
  const std::string ptx =
      kernel_of(1, "mov.u32 %r1, 10;\nadd.u32 %r2, %r1, 3;\nst.global.u32 [%rd0], %r2;");
  const auto launch = launch_of(32, 1, {buffer("out", {0})});
  Options options;
  options.plant = [](const ptx::Instruction& in) -> std::optional<PlantedFault> {
    if (in.opcode != ptx::Opcode::kAdd) return std::nullopt;
    PlantedFault fault;
    fault.instead = in;
    fault.instead->opcode = ptx::Opcode::kSub;
    return fault;
  };
  EXPECT_EQ(output_of(completes(ptx, launch, Level::kOff, options), "out")[0], 7u);
  options.plant = [](const ptx::Instruction& in) -> std::optional<PlantedFault> {
    if (in.opcode != ptx::Opcode::kAdd) return std::nullopt;
    PlantedFault fault;
    fault.distort = [](uint64_t value) { return value ^ 0xff0000000f; };
    return fault;
  };
  EXPECT_EQ(output_of(completes(ptx, launch, Level::kOff, options), "out")[0], 13u ^ 0xf);
}

}  // namespace
}  // namespace warplock::reference_interp
