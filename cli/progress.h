#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace warplock::cli {

/// A line on standard error with a rate and an estimate, on a terminal; nothing in a pipe.
class Progress {
 public:
  Progress(size_t total, std::string unit);
  ~Progress();
  void advance(const std::string& current);

 private:
  size_t total_, done_ = 0;
  std::string unit_;
  bool visible_;
  std::chrono::steady_clock::time_point start_, shown_;
};

}  // namespace warplock::cli
