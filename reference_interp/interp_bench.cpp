#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executor/executor.h"
#include "ptx/parse.h"
#include "reference_interp/reference.h"

/// How fast the reference interprets: thread-instructions a second, and events a second where they
/// are recorded, for kernels bound by arithmetic, by memory and by divergence. Decoding the module
/// and allocating memory are part of the time, as they are of every run.
namespace warplock::reference_interp {
namespace {

/// Twelve dependent operations in a loop.
constexpr const char* kArithmetic = R"(
LOOP:
  mad.lo.u32 %r1, %r1, 1664525, 1013904223;
  xor.b32 %r2, %r2, %r1;
  shl.b32 %r3, %r2, 5;
  add.u32 %r3, %r3, %r1;
  shr.u32 %r4, %r3, 3;
  sub.u32 %r5, %r4, %r2;
  and.b32 %r6, %r5, 65535;
  min.u32 %r7, %r6, %r1;
  or.b32 %r2, %r7, %r3;
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p1, %r8, ROUNDS;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r2;
)";

/// A load, a shared store, a shared load and a store in every round.
constexpr const char* kMemory = R"(
LOOP:
  ld.global.u32 %r1, [%rd2];
  st.shared.u32 [%r9], %r1;
  ld.shared.u32 %r2, [%r9];
  add.u32 %r2, %r2, %r8;
  st.global.u32 [%rd2], %r2;
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p1, %r8, ROUNDS;
  @%p1 bra LOOP;
)";

/// Each lane leaves the inner loop after a number of rounds of its own.
constexpr const char* kDivergent = R"(
LOOP:
  and.b32 %r1, %r10, 31;
INNER:
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra NEXT;
  sub.u32 %r1, %r1, 1;
  and.b32 %r4, %r1, 1;
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra EVEN;
  add.u32 %r2, %r2, 3;
  bra INNER;
EVEN:
  add.u32 %r2, %r2, 5;
  bra INNER;
NEXT:
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p1, %r8, ROUNDS;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r2;
)";

std::string module_with(std::string body, uint32_t rounds) {
  const std::string placeholder = "ROUNDS";
  body.replace(body.find(placeholder), placeholder.size(), std::to_string(rounds));
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .shared .align 4 .b32 s[128];
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  .reg .pred %p<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r10, %tid.x;
  mov.u32 %r11, %ctaid.x;
  mad.lo.u32 %r11, %r11, 128, %r10;
  mul.wide.u32 %rd1, %r11, 4;
  add.u64 %rd2, %rd0, %rd1;
  mov.u32 %r9, s;
  mad.lo.u32 %r9, %r10, 4, %r9;
  mov.u32 %r1, %r11;
  mov.u32 %r2, 1;
  mov.u32 %r8, 0;
)" + body +
         "  ret;\n}\n";
}

void interpret(benchmark::State& state, const char* body, trace::Level level) {
  // Traces of registers are large: fewer rounds, so that they stay in memory that is warm.
  const uint32_t rounds = level == trace::Level::kOff ? 2000 : 100;
  executor::Program program;
  program.module =
      ptx::parse(std::make_shared<diagnostics::SourceText>("bench.ptx", module_with(body, rounds)));
  executor::Launch launch;
  launch.entry = "k";
  launch.grid = {4, 1, 1};
  launch.block = {128, 1, 1};
  launch.warp_width = static_cast<uint32_t>(state.range(0));
  launch.max_steps = uint64_t{1} << 40;
  executor::Argument out;
  out.name = "out";
  out.is_buffer = true;
  out.words.resize(512);
  launch.arguments.push_back(out);

  const auto reference = make_reference();
  uint64_t steps = 0, events = 0;
  for (auto _ : state) {
    executor::Outcome outcome = reference->run(program, launch, level);
    const auto* execution = std::get_if<executor::Execution>(&outcome);
    if (execution == nullptr) {
      state.SkipWithError("the kernel was refused");
      return;
    }
    steps += execution->steps;
    events += execution->trace.events.size();
  }
  state.counters["thread_instructions"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
  if (level != trace::Level::kOff) {
    state.counters["events"] =
        benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  }
}

#define WARPLOCK_BENCH(name, body)                                                           \
  BENCHMARK_CAPTURE(interpret, name##_off, body, trace::Level::kOff)->Arg(4)->Arg(32);       \
  BENCHMARK_CAPTURE(interpret, name##_memory, body, trace::Level::kMemory)->Arg(4)->Arg(32); \
  BENCHMARK_CAPTURE(interpret, name##_registers, body, trace::Level::kRegisters)->Arg(4)->Arg(32)
WARPLOCK_BENCH(arithmetic, kArithmetic);
WARPLOCK_BENCH(memory, kMemory);
WARPLOCK_BENCH(divergent, kDivergent);
#undef WARPLOCK_BENCH

}  // namespace
}  // namespace warplock::reference_interp

BENCHMARK_MAIN();
