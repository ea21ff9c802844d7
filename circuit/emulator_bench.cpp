// How many blocks a second the emulator executes, over random programs.
#include <benchmark/benchmark.h>

#include "circuit/emulator.h"
#include "circuit/plain_machine.h"

namespace warplock::circuit {
namespace {

void random_programs(benchmark::State& state) {
  std::vector<MachineProgram> programs;
  for (uint64_t seed = 0; seed < 64; ++seed) programs.push_back(random_program(seed));
  uint64_t blocks = 0;
  for (auto _ : state) {
    for (const MachineProgram& program : programs) {
      Emulator emulator(program);
      emulator.run(2000);
      blocks += emulator.blocks();
    }
  }
  state.counters["blocks"] =
      benchmark::Counter(static_cast<double>(blocks), benchmark::Counter::kIsRate);
}
BENCHMARK(random_programs);

}  // namespace
}  // namespace warplock::circuit

BENCHMARK_MAIN();
