#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "diagnostics/diagnostic.h"
#include "reports/report.h"

namespace warplock::reports {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw diagnostics::InputError(
      diagnostics::Diagnostic{diagnostics::Severity::kError, "file", why, path, {1, 1}, {}});
}

/// Readers never see half a file: it is written under another name and renamed.
void write_file(const std::string& path, const std::string& text) {
  std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (!file) fail(temporary, fmt::format("cannot be written: {}", std::strerror(errno)));
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = std::fclose(file) == 0 && good;
  if (!good) fail(temporary, "cannot be written: the disk may be full");
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) fail(path, "cannot be written: " + error.message());
}

}  // namespace

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(folder, "cannot be made: " + error.message());
}

void write_folder(const Report& report, const std::string& folder) {
  make_folder(folder);
  write_file(folder + "/report.json", to_json(report) + "\n");
  write_file(folder + "/junit.xml", to_junit(report));
}

Journal::Journal(const std::string& folder) : path_(folder + "/results.jsonl") {
  make_folder(folder);
  file_ = std::fopen(path_.c_str(), "wb");
  if (!file_) fail(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
}

Journal::~Journal() {
  std::fclose(file_);
}

void Journal::add(const TestResult& test) {
  std::string line = to_json_line(test) + "\n";
  // Flushed line by line: what is known survives whatever happens to this process afterwards.
  bool good = std::fwrite(line.data(), 1, line.size(), file_) == line.size();
  if (!good || std::fflush(file_) != 0) fail(path_, "cannot be written: the disk may be full");
}

}  // namespace warplock::reports
