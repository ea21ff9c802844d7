#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace warplock::executor {

/// One kernel argument: a buffer of 32-bit words, or a scalar of 1 to 8 bytes.
struct Argument {
  std::string name;
  bool is_buffer = false;
  std::vector<uint32_t> words;  ///< buffer contents before the launch
  uint64_t scalar = 0;          ///< two's complement, low `scalar_bytes` count
  uint8_t scalar_bytes = 4;
};

/// A launch as LAUNCH.json describes it.
struct Launch {
  std::string entry;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t warp_width = 32;  ///< 4 or 32
  std::vector<Argument> arguments;
  std::map<std::string, std::vector<uint32_t>> expect;  ///< by argument name; may be empty
  uint32_t shared_bytes = 0;                            ///< dynamic shared memory
  uint64_t max_steps = 10'000'000;  ///< thread-instructions, all threads together
  /// Where the launch came from, and where its entry stands in there, for messages.
  std::shared_ptr<const diagnostics::SourceText> source;
  diagnostics::Position entry_position;

  uint32_t threads_per_cta() const { return block[0] * block[1] * block[2]; }
  uint64_t ctas() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
};

/// Limits of a launch file; beyond them it is refused, by a diagnostic that names the limit.
constexpr uint32_t kMaxThreadsPerCta = 1024;
constexpr uint64_t kMaxCtas = 65'536;
constexpr uint64_t kMaxTotalWords = uint64_t{1} << 26;
constexpr uint32_t kMaxSharedBytes = 227 * 1024;

/// Parses a launch. `{"file": ...}` buffers are read relative to the folder of the launch file.
/// Throws `InputError` with the place of the offending value.
Launch parse_launch(std::shared_ptr<const diagnostics::SourceText> source);

/// The JSON text of a launch; `parse_launch` of it gives the same launch.
std::string to_json(const Launch& launch);

/// What other programs are sent: the same on one line without its end, every buffer as an array of
/// numbers, and without `expect`.
std::string to_json_line(const Launch& launch);

/// A hexadecimal digest over everything that decides the result: entry, geometry, width, arguments,
/// shared memory, steps; not `expect`.
std::string digest(const Launch& launch);

}  // namespace warplock::executor
