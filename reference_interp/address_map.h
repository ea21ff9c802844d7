#pragma once

#include <cstdint>

/// Where things lie. Bases are far apart, so that one shift finds the object, an index that went
/// wrong still names the object it was meant for, and nothing else looks like an address.
namespace warplock::reference_interp {

/// Buffer arguments and module variables: object k starts at kGlobalBase + (k << kGlobalShift).
inline constexpr uint64_t kGlobalBase = uint64_t{1} << 44;
inline constexpr uint32_t kGlobalShift = 35;
/// Values this close to an object can only be pointers derived from it.
inline constexpr uint64_t kGlobalReach = uint64_t{1} << 33;

/// Shared variables, as 32-bit addresses: variable k starts at kSharedBase + (k << kSharedShift).
/// The largest variable has 227 KiB, so every variable is followed by addresses that are nobody's.
inline constexpr uint64_t kSharedBase = 0x5a000000;
inline constexpr uint32_t kSharedShift = 18;
inline constexpr uint32_t kMaxSharedVariables = 1024;

/// Local memory of a thread (a stack that grows upwards), and the entry's parameters.
inline constexpr uint64_t kLocalBase = 0x6c000000;
inline constexpr uint64_t kMaxLocalBytes = 512 * 1024;  ///< as on hardware
inline constexpr uint64_t kLocalFrameAlignment = 128;
inline constexpr uint64_t kParamBase = 0x7e000000;
inline constexpr uint64_t kMaxParamBytes = 64 * 1024;

/// Generic addresses: global and const as they are, the others inside their windows.
inline constexpr uint64_t kSharedWindow = uint64_t{1} << 40;
inline constexpr uint64_t kLocalWindow = uint64_t{1} << 41;
inline constexpr uint64_t kParamWindow = uint64_t{1} << 42;
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;

/// Device functions may nest this deep; beyond, the program is stopped with a "stack overflow".
inline constexpr uint32_t kMaxCallDepth = 256;

}  // namespace warplock::reference_interp
