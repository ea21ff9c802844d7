#pragma once

#include <cstddef>
#include <cstdint>

namespace warplock::native_exec {

/// Bytes without an owner on either side of everything in an arena: an address that is off by less
/// than this meets no other object.
constexpr uint64_t kGapBytes = 64 * 1024;

/// Address space for objects that must not be neighbours. Pages cost memory only once touched.
class Arena {
 public:
  /// Throws `std::bad_alloc` when the address space is not to be had.
  explicit Arena(uint64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed bytes, aligned to 256, a gap away from everything else. The room must suffice: see
  /// `room_for`.
  std::byte* allocate(uint64_t bytes);
  /// What an object takes of an arena's size.
  static uint64_t room_for(uint64_t bytes);

 private:
  std::byte* base_ = nullptr;
  uint64_t size_ = 0;
  uint64_t used_ = 0;
};

}  // namespace warplock::native_exec
