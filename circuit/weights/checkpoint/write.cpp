#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "circuit/weights/checkpoint/checkpoint.h"
#include "circuit/weights/checkpoint/files.h"
#include "circuit/weights/machine_file.h"
#include "executor/digest.h"

namespace warplock::weights {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kPage = 4096;

/// A file of a known size of which only the pages that are not zero are written.
class SparseFile {
 public:
  SparseFile(const std::string& path, uint64_t size)
      : path_(path), descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)) {
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail();
  }
  ~SparseFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;

  void write(uint64_t offset, const void* data, size_t size) {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      ssize_t done = pwrite(descriptor_, from, size, static_cast<off_t>(offset));
      if (done <= 0) fail();
      from += done;
      offset += static_cast<uint64_t>(done);
      size -= static_cast<size_t>(done);
    }
  }
  void finish() {
    int descriptor = descriptor_;
    descriptor_ = -1;
    if (close(descriptor) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw checkpoint_error(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
  std::string path_;
  int descriptor_;
};

/// Collects elements in ascending order and writes page by page.
class PageWriter {
 public:
  explicit PageWriter(SparseFile& file) : file_(file), page_(kPage) {}
  void put(uint64_t offset, uint32_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i, ++offset) {
      if (offset / kPage != number_) {
        flush();
        number_ = offset / kPage;
      }
      page_[offset % kPage] = static_cast<char>(bits >> (8 * i));
      end_ = offset % kPage + 1;
    }
  }
  void flush() {
    if (end_ > 0) file_.write(number_ * kPage, page_.data(), end_);
    std::fill(page_.begin(), page_.end(), '\0');
    end_ = 0;
  }

 private:
  SparseFile& file_;
  std::vector<char> page_;
  uint64_t number_ = 0;
  size_t end_ = 0;
};

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw checkpoint_error(path.string(), "cannot be written");
}

void write_weights(const fs::path& path, const std::vector<TensorEntry>& entries) {
  std::string header = safetensors_header(entries);
  uint64_t offset = header.size(), end = offset;
  for (const TensorEntry& entry : entries) end += entry.bytes();
  SparseFile file(path.string(), end);
  file.write(0, header.data(), header.size());
  PageWriter pages(file);
  for (const TensorEntry& entry : entries) {
    size_t size = size_of(entry.type);
    for_each_non_zero(entry, [&](uint64_t index, uint32_t bits) {
      pages.put(offset + index * size, bits, size);
    });
    offset += entry.bytes();
  }
  pages.flush();
  file.finish();
}

}  // namespace

void write_checkpoint(const std::string& folder, Checkpoint& checkpoint) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw checkpoint_error(folder, "cannot be made: " + error.message());
  if (!fs::is_empty(folder, error) || error) {
    throw checkpoint_error(folder, "is not an empty folder");
  }
  fs::path root(folder);
  Vocabulary vocabulary(checkpoint.spec, checkpoint.first_id);
  uint32_t end_id = vocabulary.id(Token{});
  std::vector<TensorEntry> entries = tensor_list(checkpoint.tensors);
  write_weights(root / kWeightsFile, entries);

  nlohmann::ordered_json manifest;
  manifest["format"] = kCheckpointFormat;
  manifest["machine"] = machine_json(checkpoint.spec);
  manifest["first_id"] = vocabulary.first_id();
  manifest["ids"] = vocabulary.size();
  manifest["run_ids"] = vocabulary.run_size();
  std::pair<const char*, std::string> texts[] = {
      {kConfigFile, config_text(checkpoint.tensors.shape, end_id)},
      {"generation_config.json", generation_config_text(end_id)},
      {"tokenizer.json", tokenizer_text(vocabulary)},
      {"tokenizer_config.json", tokenizer_config_text()}};
  for (const auto& [name, text] : texts) {
    write_text(root / name, text);
    manifest["files"][name] = executor::digest_of(text);
  }
  for (const TensorEntry& entry : entries) manifest["tensors"][entry.name] = content_digest(entry);
  write_text(root / kManifestFile, manifest.dump(1) + "\n");
}

}  // namespace warplock::weights
