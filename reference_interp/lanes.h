#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Lanes of a warp: masks, rows of registers, and loops over both.
namespace warplock::reference_interp {

/// Bit i stands for lane i.
using LaneMask = uint32_t;

template <int W>
inline constexpr LaneMask kAllLanes = W == 32 ? ~LaneMask{0} : (LaneMask{1} << (W % 32)) - 1;

/// The bits 1, 2, 4, ...: a comparison against this table turns a mask into one condition a lane,
/// which compilers vectorise (a shift by a variable amount they do not, without AVX2).
template <int W>
struct LaneBits {
  LaneMask bit[W];
  constexpr LaneBits() : bit() {
    for (int lane = 0; lane < W; ++lane) bit[lane] = LaneMask{1} << lane;
  }
};
template <int W>
inline constexpr LaneBits<W> kLaneBits{};

/// Calls f(lane) for every lane of the mask, in ascending order.
template <class F>
inline void for_each_lane(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
}

/// How a register of type T is kept: 32-bit rows for everything up to 32 bits, 64-bit rows above.
/// The unused upper bits are zero.
template <class T>
using Stored = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
constexpr Stored<T> to_stored(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

/// row[lane] = f(lane) for the lanes of `lanes`. f is computed for every lane, so it must be total;
/// values go through a local array so that `row` may be one of the rows that f reads.
template <int W, class S, class F>
inline void write_row(S* row, LaneMask lanes, F f) {
  S values[W];
  for (int lane = 0; lane < W; ++lane) values[lane] = f(lane);
  if (lanes == kAllLanes<W>) {
    for (int lane = 0; lane < W; ++lane) row[lane] = values[lane];
  } else {
    for (int lane = 0; lane < W; ++lane) {
      row[lane] = (lanes & kLaneBits<W>.bit[lane]) != 0 ? values[lane] : row[lane];
    }
  }
}

/// The mask of the lanes for which f(lane) holds; f must be total.
template <int W, class F>
inline LaneMask lanes_where(F f) {
  LaneMask mask = 0;
  for (int lane = 0; lane < W; ++lane) mask |= f(lane) ? kLaneBits<W>.bit[lane] : 0;
  return mask;
}

}  // namespace warplock::reference_interp
