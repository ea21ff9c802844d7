#include "native_exec/arena.h"

#include <sys/mman.h>

#include <new>

namespace warplock::native_exec {

constexpr uint64_t kAlignment = 256;  // what cudaMalloc promises

Arena::Arena(uint64_t bytes) : size_(bytes + kGapBytes) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(memory);
  used_ = kGapBytes;
}

Arena::~Arena() {
  munmap(base_, size_);
}

uint64_t Arena::room_for(uint64_t bytes) {
  return (bytes + kGapBytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::byte* Arena::allocate(uint64_t bytes) {
  const uint64_t room = room_for(bytes);
  if (room < bytes || size_ - used_ < room) throw std::bad_alloc();
  std::byte* const result = base_ + used_;
  used_ += room;
  return result;
}

}  // namespace warplock::native_exec
