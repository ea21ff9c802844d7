#include "circuit/weights/checkpoint/checkpoint.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include "circuit/weights/model.h"
#include "diagnostics/diagnostic.h"

namespace warplock::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The smallest machine: one slot, one warp, one block.
circuit::MachineSpec small_spec() {
  circuit::MachineSpec spec;
  spec.warps = 1;
  spec.registers = 2;
  spec.blocks = 1;
  spec.slots = 1;
  spec.memory_rows = 2;
  spec.max_ctas_x = spec.max_ctas_y = 1;
  return spec;
}

class CheckpointTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ =
        (fs::path(::testing::TempDir()) / ("checkpoint-" + std::to_string(getpid()))).string();
    checkpoint_ = new Checkpoint;
    checkpoint_->spec = small_spec();
    checkpoint_->tensors = machine_tensors(*build_machine(small_spec()));
    write_checkpoint(folder_, *checkpoint_);
  }
  static void TearDownTestSuite() {
    delete checkpoint_;
    fs::remove_all(folder_);
  }
  static fs::path weights() { return fs::path(folder_) / "model.safetensors"; }

  /// The message of the error that reading gives.
  static std::string error() {
    try {
      read_checkpoint(folder_);
    } catch (const diagnostics::InputError& error) {
      EXPECT_EQ(error.diagnostics()[0].klass, "checkpoint");
      return error.diagnostics()[0].message;
    }
    return "none";
  }

  /// Overwrites bytes, reads, and puts them back.
  static std::string error_with(uint64_t offset, const std::string& bytes) {
    std::fstream file(weights(), std::ios::in | std::ios::out | std::ios::binary);
    std::string before(bytes.size(), '\0');
    file.seekg(static_cast<std::streamoff>(offset)).read(before.data(), before.size());
    file.seekp(static_cast<std::streamoff>(offset)).write(bytes.data(), bytes.size()).flush();
    std::string message = error();
    file.seekp(static_cast<std::streamoff>(offset)).write(before.data(), before.size()).flush();
    return message;
  }

  static std::string header() {
    std::ifstream file(weights(), std::ios::binary);
    uint64_t length = 0;
    file.read(reinterpret_cast<char*>(&length), 8);
    std::string text(length, '\0');
    file.read(text.data(), static_cast<std::streamsize>(length));
    return text;
  }
  /// The same header with a change, as long as before.
  static std::string error_with_header(const std::function<void(json&)>& change) {
    std::string text = header();
    json parsed = json::parse(text);
    change(parsed);
    std::string changed = parsed.dump();
    EXPECT_LE(changed.size(), text.size());
    changed.resize(text.size(), ' ');
    return error_with(8, changed);
  }

  static std::string folder_;
  static Checkpoint* checkpoint_;
};
std::string CheckpointTest::folder_;
Checkpoint* CheckpointTest::checkpoint_ = nullptr;

constexpr const char* kGate = "model.layers.1.mlp.gate_proj.weight";

TEST_F(CheckpointTest, ReadsBackWhatWasWritten) {
  Checkpoint read = read_checkpoint(folder_);
  EXPECT_EQ(read.spec, checkpoint_->spec);
  EXPECT_TRUE(read.tensors == checkpoint_->tensors);
}

TEST_F(CheckpointTest, IsSparseOnDisk) {
  struct stat info {};
  ASSERT_EQ(stat(weights().c_str(), &info), 0);
  EXPECT_GT(info.st_size, int64_t{500} << 20);
  EXPECT_LT(info.st_blocks * int64_t{512}, info.st_size / 2);
}

TEST_F(CheckpointTest, ConfigIsAStandardOne) {
  std::ifstream file(fs::path(folder_) / "config.json");
  json config = json::parse(file);
  EXPECT_EQ(config["model_type"], "qwen3_5_text");
  EXPECT_EQ(config["num_hidden_layers"], config["layer_types"].size());
  EXPECT_EQ(config["tie_word_embeddings"], true);
  json parsed = json::parse(header());
  EXPECT_EQ(parsed["model.layers.0.linear_attn.A_log"]["dtype"], "F32");
  EXPECT_EQ(parsed["model.layers.0.linear_attn.norm.weight"]["dtype"], "F32");
  EXPECT_EQ(parsed["model.layers.0.linear_attn.conv1d.weight"]["shape"], json({6144, 1, 4}));
  EXPECT_EQ(parsed["model.embed_tokens.weight"]["dtype"], "BF16");
}

TEST_F(CheckpointTest, DoesNotOverwriteAFolder) {
  EXPECT_THROW(write_checkpoint(folder_, *checkpoint_), diagnostics::InputError);
}

TEST_F(CheckpointTest, RefusesAHugeHeader) {
  EXPECT_THAT(error_with(0, std::string("\0\0\0\0\0\0\0\x10", 8)),
              ::testing::HasSubstr("header's length is 1152921504606846976"));
  EXPECT_THAT(error_with(0, std::string(8, '\xff')), ::testing::HasSubstr("header's length"));
}

TEST_F(CheckpointTest, RefusesABrokenHeader) {
  EXPECT_THAT(error_with(8, "x"), ::testing::HasSubstr("not a JSON object"));
}

TEST_F(CheckpointTest, RefusesWrongTensors) {
  EXPECT_THAT(error_with_header([](json& h) { h[kGate]["dtype"] = "F16"; }),
              ::testing::HasSubstr("dtype must be"));
  EXPECT_THAT(error_with_header([](json& h) { h[kGate]["shape"][0] = 6143; }),
              ::testing::HasSubstr("shape must be"));
  EXPECT_THAT(error_with_header([](json& h) { h.erase(kGate); }),
              ::testing::HasSubstr("is missing"));
  EXPECT_THAT(error_with_header([](json& h) {
                h["x"] = h[kGate];
                h.erase("__metadata__");
              }),
              ::testing::HasSubstr("not one of the model's"));
}

TEST_F(CheckpointTest, RefusesOverlapGapAndOverflow) {
  EXPECT_THAT(error_with_header([](json& h) {
                h["model.layers.1.mlp.up_proj.weight"]["data_offsets"] = h[kGate]["data_offsets"];
              }),
              ::testing::HasSubstr("overlap"));
  EXPECT_THAT(error_with_header([](json& h) {
                uint64_t size = 6144ull * 2048 * 2;
                h[kGate]["data_offsets"] = {0ull - size, 0ull};
              }),
              ::testing::HasSubstr("size must be"));
  EXPECT_THAT(error_with_header([](json& h) {
                h[kGate]["data_offsets"] = {0, -1};
              }),
              ::testing::HasSubstr("data_offsets must be"));
}

TEST_F(CheckpointTest, RefusesTruncation) {
  std::string cut = folder_ + "-cut";
  write_checkpoint(cut, *checkpoint_);
  fs::path file = fs::path(cut) / "model.safetensors";
  for (uint64_t size :
       {fs::file_size(file) - 1, fs::file_size(file) / 2, uint64_t{4}, uint64_t{0}}) {
    fs::resize_file(file, size);
    try {
      read_checkpoint(cut);
      ADD_FAILURE() << "read a file of " << size << " bytes";
    } catch (const diagnostics::InputError& error) {
      EXPECT_THAT(error.what(), ::testing::AnyOf(::testing::HasSubstr("truncated"),
                                                 ::testing::HasSubstr("is empty")));
    }
  }
  fs::remove_all(cut);
}

TEST_F(CheckpointTest, RefusesOtherNumbers) {
  json parsed = json::parse(header());
  uint64_t start = 8 + header().size() + parsed[kGate]["data_offsets"][0].get<uint64_t>();
  EXPECT_THAT(error_with(start, std::string("\xc0\x7f", 2)), ::testing::HasSubstr("NaN"));
  EXPECT_THAT(error_with(start, std::string("\x80\x7f", 2)), ::testing::HasSubstr("infinity"));
  EXPECT_THAT(error_with(start + 4000, std::string("\x80\x3f", 2)),
              ::testing::HasSubstr("not what the manifest says"));
}

TEST_F(CheckpointTest, RefusesAnotherFolder) {
  fs::path config = fs::path(folder_) / "config.json", away = fs::path(folder_) / "away.json";
  fs::rename(config, away);
  EXPECT_NE(error(), "none");
  std::ofstream(config) << "{}";
  EXPECT_THAT(error(), ::testing::HasSubstr("not the file of the manifest"));
  fs::rename(away, config);
  EXPECT_EQ(error(), "none");
  EXPECT_THROW(read_checkpoint(folder_ + "/nothing"), diagnostics::InputError);
}

}  // namespace
}  // namespace warplock::weights
