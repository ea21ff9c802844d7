#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warplock::weights {

/// A file in memory, read-only, with the extents that are not holes.
class MappedFile {
 public:
  /// Throws diagnostics::InputError (class "checkpoint") when it cannot be mapped.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  uint64_t size() const { return size_; }

  /// Calls visit(begin, end) for the parts of [begin, end) that are not holes.
  template <typename Visit>
  void for_each_extent(uint64_t begin, uint64_t end, const Visit& visit) const {
    auto at = std::upper_bound(extents_.begin(), extents_.end(), begin,
                               [](uint64_t value, const auto& e) { return value < e.second; });
    for (; at != extents_.end() && at->first < end; ++at) {
      visit(std::max(begin, at->first), std::min(end, at->second));
    }
  }

 private:
  void find_extents();

  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  const char* data_ = nullptr;
  std::vector<std::pair<uint64_t, uint64_t>> extents_;
};

}  // namespace warplock::weights
