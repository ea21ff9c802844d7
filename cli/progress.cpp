#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace warplock::cli {

using std::chrono::duration;
using std::chrono::steady_clock;

Progress::Progress(size_t total, std::string unit)
    : total_(total), unit_(std::move(unit)), visible_(isatty(2)), start_(steady_clock::now()) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

void Progress::advance(const std::string& current) {
  ++done_;
  if (!visible_) return;
  auto now = steady_clock::now();
  if (now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  double seconds = duration<double>(now - start_).count();
  double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  std::string line = fmt::format("{}/{} {}  {:.0f}/s  {:.0f} s left  {:.40}", done_, total_, unit_,
                                 rate, left, current);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace warplock::cli
