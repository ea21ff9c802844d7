#pragma once

#include <cstdint>
#include <string>

/// What generated code says about itself when it calls a hook: the number of one of these.
namespace warplock::native_exec {

enum class AtomicOp : uint8_t {
  kAdd,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompareExchange,
  kMinSigned,
  kMaxSigned,
  kMinUnsigned,
  kMaxUnsigned,
  kIncrement,
  kDecrement
};

/// A place in the program that touches memory, synchronises or may fail.
struct Site {
  uint32_t line = 0;       ///< in the CUDA C source, 0 = unknown
  std::string text;        ///< "store i32"
  uint32_t width = 4;      ///< bytes of one element
  uint32_t count = 1;      ///< elements
  uint32_t alignment = 1;  ///< bytes; an address that is no multiple of it is a fault
  AtomicOp op = AtomicOp::kAdd;
  bool waits = false;  ///< volatile and atomic accesses: what spin loops wait on

  uint32_t bytes() const { return width * count; }
};

/// Warp-wide operations. The shuffles stand first.
enum class WarpOp : uint32_t {
  kShuffleIdx,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kVoteAll,
  kVoteAny,
  kVoteUniform,
  kVoteBallot,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceMinUnsigned,
  kReduceMaxUnsigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kSync,
};

enum class BarrierOp : uint32_t { kSync, kCount, kAnd, kOr };

/// Special registers.
enum class Special : uint32_t {
  kThreadX,
  kThreadY,
  kThreadZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kBlockDimX,
  kBlockDimY,
  kBlockDimZ,
  kGridDimX,
  kGridDimY,
  kGridDimZ,
  kLane,
  kWarp,
  kWarpCount,
  kWarpSize,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
};

}  // namespace warplock::native_exec
