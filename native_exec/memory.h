#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/event.h"

namespace warplock::native_exec {

/// Which object an address belongs to.
class MemoryMap {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  struct Object {
    std::string name;
    trace::Space space = trace::Space::kGlobal;
    uint64_t base = 0;
    uint64_t size = 0;
  };

  /// Objects must not overlap.
  void add(std::string name, trace::Space space, const std::byte* memory, uint64_t size);
  const std::vector<Object>& objects() const { return objects_; }

  /// The object that holds all of [address, address + bytes), or kNone. `hint` is tried first.
  uint32_t find(uint64_t address, uint64_t bytes, uint32_t hint) const;
  /// The object within whose gap the address lies, for messages, or kNone.
  uint32_t nearest(uint64_t address) const;

 private:
  bool holds(uint32_t object, uint64_t address, uint64_t bytes) const;

  std::vector<Object> objects_;
  std::vector<uint32_t> by_address_;
};

}  // namespace warplock::native_exec
