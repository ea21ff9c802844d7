#include "native_exec/memory.h"

#include <algorithm>

#include "native_exec/arena.h"

namespace warplock::native_exec {

void MemoryMap::add(std::string name, trace::Space space, const std::byte* memory, uint64_t size) {
  const auto base = reinterpret_cast<uint64_t>(memory);
  const auto index = static_cast<uint32_t>(objects_.size());
  objects_.push_back({std::move(name), space, base, size});
  const auto place =
      std::upper_bound(by_address_.begin(), by_address_.end(), base,
                       [this](uint64_t b, uint32_t i) { return b < objects_[i].base; });
  by_address_.insert(place, index);
}

bool MemoryMap::holds(uint32_t object, uint64_t address, uint64_t bytes) const {
  const Object& candidate = objects_[object];
  const uint64_t offset = address - candidate.base;  // wraps to a large number below the base
  return offset <= candidate.size && bytes <= candidate.size - offset;
}

uint32_t MemoryMap::find(uint64_t address, uint64_t bytes, uint32_t hint) const {
  if (hint < objects_.size() && holds(hint, address, bytes)) return hint;
  const auto place =
      std::upper_bound(by_address_.begin(), by_address_.end(), address,
                       [this](uint64_t a, uint32_t i) { return a < objects_[i].base; });
  if (place == by_address_.begin()) return kNone;
  const uint32_t candidate = *(place - 1);
  return holds(candidate, address, bytes) ? candidate : kNone;
}

uint32_t MemoryMap::nearest(uint64_t address) const {
  for (uint32_t i = 0; i < objects_.size(); ++i) {
    const Object& object = objects_[i];
    if (address >= object.base - kGapBytes / 2 &&
        address < object.base + object.size + kGapBytes / 2) {
      return i;
    }
  }
  return kNone;
}

}  // namespace warplock::native_exec
