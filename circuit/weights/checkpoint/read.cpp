#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "circuit/weights/checkpoint/checkpoint.h"
#include "circuit/weights/checkpoint/files.h"
#include "circuit/weights/checkpoint/mapped_file.h"
#include "circuit/weights/machine_file.h"
#include "executor/digest.h"

namespace warplock::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // safetensors' own limit
constexpr size_t kMaxText = size_t{64} << 20;

/// Reads one tensor's elements that are not zero into the place that `entry` names.
class TensorReader {
 public:
  TensorReader(const std::string& path, const MappedFile& file) : path_(path), file_(file) {}

  void read(const TensorEntry& entry, uint64_t begin) const {
    if (entry.vector) entry.vector->assign(entry.elements(), 0);
    SparseMatrix* matrix = entry.matrix;
    if (matrix) {
      matrix->column.clear();
      matrix->value.clear();
      matrix->row_start.assign(matrix->rows + size_t{1}, 0);
    }
    file_.for_each_extent(begin, begin + entry.bytes(), [&](uint64_t from, uint64_t to) {
      scan(entry, begin, from, to, [&](uint64_t index, float value) {
        if (entry.vector) {
          (*entry.vector)[index] = value;
          return;
        }
        uint64_t row = index / entry.row_elements();
        ++matrix->row_start[row + 1];
        matrix->column.push_back(static_cast<uint32_t>(index % entry.row_elements()));
        matrix->value.push_back(value);
      });
    });
    if (matrix) {
      for (size_t row = 0; row < matrix->rows; ++row) {
        matrix->row_start[row + 1] += matrix->row_start[row];
      }
    }
  }

 private:
  template <typename Visit>
  void scan(const TensorEntry& entry, uint64_t begin, uint64_t from, uint64_t to,
            const Visit& visit) const {
    size_t size = size_of(entry.type);
    // Extents begin and end on blocks of the file system, elements at multiples of their size.
    uint64_t at = begin + (from - begin + size - 1) / size * size;
    while (at + size <= to) {
      if (at + 8 <= to) {
        uint64_t word;
        std::memcpy(&word, file_.data() + at, 8);
        if (word == 0) {
          at += 8;
          continue;
        }
      }
      uint32_t bits = 0;
      std::memcpy(&bits, file_.data() + at, size);
      if (size == 2) bits <<= 16;
      if (bits != 0) {
        float value = std::bit_cast<float>(bits);
        uint64_t index = (at - begin) / size;
        if ((bits & 0x7f800000) == 0x7f800000) {
          throw checkpoint_error(path_, fmt::format("{} has {} at element {}", entry.name,
                                                    value != value ? "NaN" : "infinity", index));
        }
        visit(index, value);
      }
      at += size;
    }
  }

  const std::string& path_;
  const MappedFile& file_;
};

std::string read_text(const fs::path& path) {
  try {
    return std::string(diagnostics::read_source(path.string(), kMaxText)->text());
  } catch (const diagnostics::InputError& error) {
    throw checkpoint_error(path.string(), error.diagnostics()[0].message);
  }
}

struct Header {
  json tensors;
  uint64_t data_start;
};

Header read_header(const std::string& path, const MappedFile& file) {
  if (file.size() < 8) throw checkpoint_error(path, "is truncated: it has no header");
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) {
    length |= uint64_t{static_cast<unsigned char>(file.data()[i])} << (8 * i);
  }
  if (length > kMaxHeader || length > file.size() - 8) {
    throw checkpoint_error(
        path, fmt::format("the header's length is {}, the file has {} bytes", length, file.size()));
  }
  Header header{json::parse(file.data() + 8, file.data() + 8 + length, nullptr, false), 8 + length};
  if (!header.tensors.is_object()) throw checkpoint_error(path, "the header is not a JSON object");
  header.tensors.erase("__metadata__");
  return header;
}

/// Where each tensor lies; together they must fill the file without gap or overlap.
std::map<std::string, uint64_t> check_header(const std::string& path, const Header& header,
                                             uint64_t file_size,
                                             const std::vector<TensorEntry>& entries) {
  std::map<std::string, uint64_t> places;
  std::vector<std::pair<uint64_t, uint64_t>> spans;
  for (const TensorEntry& entry : entries) {
    auto found = header.tensors.find(entry.name);
    if (found == header.tensors.end()) {
      throw checkpoint_error(path, "tensor " + entry.name + " is missing");
    }
    auto fail = [&](const std::string& what, const json& wanted) {
      throw checkpoint_error(path, fmt::format("tensor {}: {} must be {}, not {}", entry.name, what,
                                               wanted.dump(), found->dump()));
    };
    if (!found->is_object()) fail("description", "an object");
    if (found->value("dtype", json()) != json(name_of(entry.type))) {
      fail("dtype", name_of(entry.type));
    }
    if (found->value("shape", json()) != json(entry.shape)) fail("shape", entry.shape);
    json offsets = found->value("data_offsets", json());
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      fail("data_offsets", "two numbers");
    }
    uint64_t begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
    uint64_t room = file_size - header.data_start;
    if (end > room) {
      throw checkpoint_error(path, fmt::format("is truncated: tensor {} ends at {} of {} bytes",
                                               entry.name, end, room));
    }
    if (begin > end || end - begin != entry.bytes()) fail("size", entry.bytes());
    places[entry.name] = header.data_start + begin;
    spans.push_back({begin, end});
  }
  for (const auto& item : header.tensors.items()) {
    if (!places.count(item.key())) {
      throw checkpoint_error(path, "tensor " + item.key() + " is not one of the model's");
    }
  }
  std::sort(spans.begin(), spans.end());
  uint64_t expected = 0;
  for (const auto& [begin, end] : spans) {
    if (begin != expected) {
      throw checkpoint_error(
          path, fmt::format("offsets {} at byte {}", begin < expected ? "overlap" : "leave a gap",
                            begin));
    }
    expected = end;
  }
  if (expected != file_size - header.data_start) {
    throw checkpoint_error(path, "has bytes behind the last tensor");
  }
  return places;
}

void set_shapes(ModelTensors& model) {
  const ModelShape& s = model.shape;
  auto shape = [](SparseMatrix& matrix, uint32_t rows, uint32_t columns) {
    matrix.rows = rows;
    matrix.columns = columns;
  };
  model.layers.resize(s.layers);
  shape(model.embedding, s.vocabulary, s.hidden_size);
  for (LayerTensors& l : model.layers) {
    shape(l.qkv, 3 * s.head_width(), s.hidden_size);
    shape(l.z, s.head_width(), s.hidden_size);
    shape(l.a, s.heads, s.hidden_size);
    shape(l.b, s.heads, s.hidden_size);
    shape(l.conv, 3 * s.head_width(), s.conv_kernel);
    shape(l.out, s.hidden_size, s.head_width());
    shape(l.gate, s.intermediate_size, s.hidden_size);
    shape(l.up, s.intermediate_size, s.hidden_size);
    shape(l.down, s.hidden_size, s.intermediate_size);
  }
}

void check_manifest_number(const std::string& path, const json& manifest, const char* key,
                           uint64_t wanted) {
  auto found = manifest.find(key);
  if (found == manifest.end() || *found != json(wanted)) {
    throw checkpoint_error(
        path, fmt::format("\"{}\" is {}, must be {}", key,
                          found == manifest.end() ? "missing" : found->dump(), wanted));
  }
}

}  // namespace

Checkpoint read_checkpoint(const std::string& folder) {
  fs::path root(folder);
  std::string manifest_path = (root / kManifestFile).string();
  json manifest = json::parse(read_text(root / kManifestFile), nullptr, false);
  if (!manifest.is_object()) throw checkpoint_error(manifest_path, "is not a JSON object");
  check_manifest_number(manifest_path, manifest, "format", kCheckpointFormat);
  Checkpoint checkpoint;
  checkpoint.spec = read_machine(std::make_shared<diagnostics::SourceText>(
                                     manifest_path, manifest.value("machine", json()).dump()),
                                 "checkpoint");
  json first_id = manifest.value("first_id", json());
  if (!first_id.is_number_unsigned() || first_id > (1u << 20)) {
    throw checkpoint_error(manifest_path, "\"first_id\" must be a number");
  }
  checkpoint.first_id = first_id.get<uint32_t>();
  Vocabulary vocabulary(checkpoint.spec, checkpoint.first_id);
  check_manifest_number(manifest_path, manifest, "ids", vocabulary.size());
  check_manifest_number(manifest_path, manifest, "run_ids", vocabulary.run_size());

  json files = manifest.value("files", json());
  if (!files.is_object() || !files.contains(kConfigFile)) {
    throw checkpoint_error(manifest_path, "\"files\" must name config.json");
  }
  for (const auto& item : files.items()) {
    if (item.key().find('/') != std::string::npos) {
      throw checkpoint_error(manifest_path, "\"files\" names a path: " + item.key());
    }
    if (json(executor::digest_of(read_text(root / item.key()))) != item.value()) {
      throw checkpoint_error((root / item.key()).string(), "is not the file of the manifest");
    }
  }
  std::string config_path = (root / kConfigFile).string();
  checkpoint.tensors.shape = read_config(config_path, read_text(config_path));
  if (checkpoint.tensors.shape.vocabulary < checkpoint.first_id + vocabulary.size()) {
    throw checkpoint_error(config_path, "the vocabulary does not hold the machine's ids");
  }

  std::string path = (root / kWeightsFile).string();
  MappedFile file(path);
  set_shapes(checkpoint.tensors);
  std::vector<TensorEntry> entries = tensor_list(checkpoint.tensors);
  Header header = read_header(path, file);
  std::map<std::string, uint64_t> places = check_header(path, header, file.size(), entries);
  json digests = manifest.value("tensors", json());
  TensorReader reader(path, file);
  for (const TensorEntry& entry : entries) {
    reader.read(entry, places.at(entry.name));
    if (!digests.is_object() || digests.value(entry.name, json()) != json(content_digest(entry))) {
      throw checkpoint_error(path, "tensor " + entry.name + " is not what the manifest says");
    }
  }
  return checkpoint;
}

}  // namespace warplock::weights
