#pragma once

#include <cstddef>
#include <cstdint>

/// Cooperative threads on x86-64: one for each GPU thread of a CTA.
namespace warplock::native_exec {

/// A stack pointer where a fibre stopped, or nothing yet.
using FibreContext = void*;

/// Stacks for fibres, with an inaccessible page below each. Committed only as far as touched, and
/// used again by every CTA.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Makes sure of `count` stacks of at least `bytes` each. Throws `std::bad_alloc`.
  void reserve(uint32_t count, size_t bytes);
  /// Lays `body` on an empty stack: the first switch to the result calls it. `body` must never
  /// return.
  FibreContext start(uint32_t index, void (*body)());
  /// The lowest usable address of a stack, and the address behind it.
  std::byte* low(uint32_t index) const { return base_ + index * stride_ + kGuardBytes; }
  std::byte* high(uint32_t index) const { return base_ + (index + 1) * stride_; }

 private:
  static constexpr size_t kGuardBytes = 4096;
  void release();

  std::byte* base_ = nullptr;
  size_t stride_ = 0;
  uint32_t count_ = 0;
};

/// Stops here, leaving the place in `from`, and goes on at `to`.
extern "C" void warplock_switch_fibre(FibreContext* from, FibreContext to);

}  // namespace warplock::native_exec
