// Does the comparison find faults? Ten times, one instruction's meaning is broken in one executor,
// in the way that somebody's rule or circuit could get it wrong, and the comparison has to name
// that very instruction and the first thread that it made wrong.

#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "executor/digest.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"
#include "trace/compare.h"

namespace warplock::suites {
namespace {

using reference_interp::PlantedFault;

/// Eight threads, two warps of four lanes; every instruction the faults below need, each on a line
/// of its own, with values in which each fault shows.
constexpr const char* kKernel = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %t, %x, %y, %z, %s;
  .reg .b64 %in, %out, %off;
  .reg .pred %p;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %off, %t, 4;
  add.s64 %in, %in, %off;
  add.s64 %out, %out, %off;
  mov.u32 %s, 0;
  ld.global.u32 %x, [%in];
  add.u32 %y, %x, %t;
  sub.u32 %y, %y, 100;
  shl.b32 %z, %x, %t;
  shr.s32 %z, %z, 1;
  min.s32 %y, %y, %z;
  mul.hi.s32 %z, %x, %x;
  setp.lt.s32 %p, %x, 0;
  @%p add.u32 %s, %s, 7;
  selp.u32 %z, %z, %y, %p;
  and.b32 %z, %z, 0xff;
  shfl.sync.bfly.b32 %x, %z, 1, 0x1c1f, 0xf;
  add.u32 %x, %x, %s;
  st.global.u32 [%out], %x;
  ret;
}
)";

struct Planted {
  const char* name;
  uint32_t line;    ///< of the instruction in kKernel
  uint32_t thread;  ///< the first thread whose trace differs
  std::function<PlantedFault(const ptx::Instruction&)> fault;
};
void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.name;
}

/// The instruction, changed, in place of itself.
std::function<PlantedFault(const ptx::Instruction&)> instead(
    std::function<void(ptx::Instruction&)> change) {
  return [change](const ptx::Instruction& original) {
    PlantedFault fault;
    fault.instead = original;
    change(*fault.instead);
    return fault;
  };
}

std::function<PlantedFault(const ptx::Instruction&)> opcode(ptx::Opcode other) {
  return instead([other](ptx::Instruction& i) { i.opcode = other; });
}

std::function<PlantedFault(const ptx::Instruction&)> type(ptx::Type other) {
  return instead([other](ptx::Instruction& i) { i.types[0] = other; });
}

std::function<PlantedFault(const ptx::Instruction&)> distort(std::function<uint64_t(uint64_t)> f) {
  return [f](const ptx::Instruction&) {
    PlantedFault fault;
    fault.distort = f;
    return fault;
  };
}

const Planted kPlanted[] = {
    {"add_subtracts", 17, 1, opcode(ptx::Opcode::kSub)},
    {"sub_swaps_its_operands", 18, 0,
     instead([](ptx::Instruction& i) { std::swap(i.sources[0], i.sources[1]); })},
    {"shl_shifts_right", 19, 1, opcode(ptx::Opcode::kShr)},
    {"shr_forgets_the_sign", 20, 5, type(ptx::Type::kU32)},
    {"min_is_unsigned", 21, 0, type(ptx::Type::kU32)},
    {"mul_hi_is_unsigned", 22, 2, type(ptx::Type::kU32)},
    {"setp_takes_equal_too", 23, 3,
     instead([](ptx::Instruction& i) { i.modifiers.compare = ptx::Compare::kLe; })},
    {"guard_is_dropped", 24, 0, instead([](ptx::Instruction& i) { i.guard = {}; })},
    {"and_loses_its_top_bit", 26, 0, distort([](uint64_t v) { return v & 0x7f; })},
    {"shuffle_goes_to_the_wrong_lane", 27, 0,
     instead([](ptx::Instruction& i) { i.sources[1].value = 2; })},
};

executor::Program program() {
  executor::Program program;
  program.module = ptx::parse(std::make_shared<diagnostics::SourceText>("k.ptx", kKernel));
  program.ptx_path = "k.ptx";
  program.digest = executor::digest_of(kKernel);
  return program;
}

executor::Launch launch() {
  executor::Launch launch;
  launch.entry = "k";
  launch.block = {8, 1, 1};
  launch.warp_width = 4;
  executor::Argument in{"in", true, {5, 0x3fffffff, 0x80000001, 0, 77, 0xffffffff, 12, 0x7fffffff}};
  executor::Argument out{"out", true, std::vector<uint32_t>(8)};
  launch.arguments = {in, out};
  return launch;
}

trace::Trace trace_of(const reference_interp::Options& options) {
  auto outcome =
      reference_interp::make_reference(options)->run(program(), launch(), trace::Level::kRegisters);
  if (const auto* refusal = std::get_if<executor::Refusal>(&outcome)) {
    throw std::runtime_error(refusal->reason + diagnostics::render(refusal->diagnostics));
  }
  return std::get<executor::Execution>(outcome).trace;
}

class PlantedFaults : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedFaults, AreNamedByInstructionAndThread) {
  const Planted& planted = GetParam();
  trace::Trace right = trace_of({});
  reference_interp::Options options;
  options.plant = [&](const ptx::Instruction& i) -> std::optional<PlantedFault> {
    if (i.position.line != planted.line) return std::nullopt;
    return planted.fault(i);
  };
  trace::Comparison comparison = trace::compare(trace_of(options), right);
  ASSERT_TRUE(comparison.divergence) << "not found";
  const trace::Divergence& found = *comparison.divergence;
  EXPECT_EQ(found.thread, planted.thread) << found.what;
  const std::optional<trace::Event>& event = found.left ? found.left : found.right;
  ASSERT_TRUE(event);
  EXPECT_EQ(right.instructions.at(event->instruction).ptx_line, planted.line) << found.what;
}

INSTANTIATE_TEST_SUITE_P(TenWays, PlantedFaults, ::testing::ValuesIn(kPlanted),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PlantedFaultsControl, WithoutAFaultTheTracesAgree) {
  trace::Comparison comparison = trace::compare(trace_of({}), trace_of({}));
  EXPECT_FALSE(comparison.divergence);
  EXPECT_GT(comparison.compared_events, 8u * 20);
}

}  // namespace
}  // namespace warplock::suites
