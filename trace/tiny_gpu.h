#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/event.h"

/// A few lines of PTX, executed with a schedule drawn from a seed: where the tests of the
/// comparison get traces from. 64-bit registers, words of memory, one instruction of one thread at
/// a time.
namespace warplock::trace {

struct TinyLaunch {
  uint32_t ctas = 1, threads = 4;
  uint32_t warp_width = 4;
  uint64_t seed = 0;            ///< 0: thread after thread as far as it gets, else at random
  uint64_t base = 0x100000000;  ///< where the objects lie
  Level level = Level::kRegisters;
  /// Global objects and their contents in words; "s" is shared memory of 64 words.
  std::map<std::string, std::vector<uint32_t>> memory{{"in", {5, 6, 7, 8, 9, 10, 11, 12}},
                                                      {"out", std::vector<uint32_t>(16, 0)}};
  /// A fault: may change an event, and with it what the thread goes on with, before it counts.
  std::function<void(Event&)> fault;
  bool ignore_barriers = false;
};

/// Executes the program: an instruction a line, "NAME:" for labels. Known: mov (registers, numbers,
/// %tid, %ctaid, names of objects), add, mul, setp.eq/ne/lt/ge, ld, st, atom and red with add,
/// exch, cas, max, inc, bra, bar.sync 0, exit; guards; spaces global and shared; sizes by type.
/// Throws `std::runtime_error` for anything else, and when the threads wait for one another.
Trace run_tiny(const std::string& program, const TinyLaunch& launch);

/// The same trace as a side without PTX would record it: memory events only, no PTX indices.
Trace without_ptx(const Trace& trace);

}  // namespace warplock::trace
