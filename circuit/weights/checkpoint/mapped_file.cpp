#include "circuit/weights/checkpoint/mapped_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "circuit/weights/checkpoint/files.h"

namespace warplock::weights {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_RDONLY);
  struct stat info {};
  if (descriptor_ < 0 || fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) {
    std::string why = std::strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw checkpoint_error(path, "cannot be read: " + why);
  }
  size_ = static_cast<uint64_t>(info.st_size);
  if (size_ == 0) {
    close(descriptor_);
    throw checkpoint_error(path, "is empty");
  }
  void* at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (at == MAP_FAILED) {
    close(descriptor_);
    throw checkpoint_error(path, fmt::format("cannot be mapped: {}", std::strerror(errno)));
  }
  data_ = static_cast<const char*>(at);
  find_extents();
}

MappedFile::~MappedFile() {
  munmap(const_cast<char*>(data_), size_);
  close(descriptor_);
}

void MappedFile::find_extents() {
  off_t end = static_cast<off_t>(size_);
  for (off_t at = 0; at < end;) {
    off_t data = lseek(descriptor_, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;  // only a hole is left
    if (data < 0) {                          // a file system without holes
      extents_ = {{0, size_}};
      return;
    }
    off_t hole = lseek(descriptor_, data, SEEK_HOLE);
    if (hole < 0) hole = end;
    extents_.push_back({static_cast<uint64_t>(data), static_cast<uint64_t>(hole)});
    at = hole;
  }
}

}  // namespace warplock::weights
