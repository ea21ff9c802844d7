// `warplock model build` and `warplock replay`, as scripts see them.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "circuit/weights/checkpoint/checkpoint.h"
#include "circuit/weights/protocol.h"
#include "model_exec/transcript.h"

namespace {

namespace fs = std::filesystem;
using namespace warplock;
using ::testing::HasSubstr;

struct Finished {
  int status = -1;
  std::string out;  ///< standard output and error
};

fs::path folder() {
  static const fs::path path = [] {
    std::string pattern = ::testing::TempDir() + "/warplock-model-XXXXXX";
    return fs::path(mkdtemp(pattern.data()));
  }();
  return path;
}

Finished run(const std::string& arguments) {
  fs::path out = folder() / "out";
  int status = std::system(
      fmt::format("{} {} > {} 2>&1", WARPLOCK_COMMAND, arguments, out.string()).c_str());
  std::stringstream text;
  text << std::ifstream(out).rdbuf();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, text.str()};
}

std::string file(const std::string& name, const std::string& text) {
  std::ofstream(folder() / name) << text;
  return (folder() / name).string();
}

/// A small machine's checkpoint, and the transcript of one launch on it: word 0 becomes 40 + 2.
class ModelCli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string spec = file("small.json",
                            R"({"warps": 1, "registers": 2, "blocks": 2, "slots": 1,
                                "memory_rows": 3, "max_ctas_x": 1, "max_ctas_y": 1})");
    built_ = run(fmt::format("model build --machine {} --out {}", spec, model()));
    if (built_.status != 0) return;
    weights::Checkpoint checkpoint = weights::read_checkpoint(model());
    circuit::MachineProgram program;
    program.spec = checkpoint.spec;
    program.blocks.resize(2);
    circuit::MachineInstruction add;
    add.a = {circuit::MachineOperand::Kind::kRegister, 1};
    add.b = {circuit::MachineOperand::Kind::kImmediate, 2};
    add.destination = 1;
    circuit::MachineInstruction store;
    store.op = circuit::MachineOp::kSt;
    store.c = add.a;
    program.blocks[0].slots = {add};
    program.blocks[0].taken = program.blocks[0].not_taken = 1;
    program.blocks[1].slots = {store};
    program.registers = {{0, 1, {40, 0, 0, 0}}};
    program.warp_lanes = {1};
    weights::Vocabulary vocabulary(checkpoint.spec);
    std::vector<uint32_t> prompt;
    for (const weights::Token& token : weights::prompt_of(program)) {
      prompt.push_back(vocabulary.id(token));
    }
    model_exec::SparseModel engine(
        std::make_shared<weights::ModelTensors>(std::move(checkpoint.tensors)), {});
    transcript_ = nlohmann::json::parse(model_exec::transcript_json(
        model_exec::run_prompt(engine, vocabulary, prompt, 100), vocabulary));
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static std::string model() { return (folder() / "model").string(); }
  static Finished replay(const nlohmann::json& transcript, const std::string& options = "") {
    return run(fmt::format("replay {} --model {} {}", file("t.json", transcript.dump()), model(),
                           options));
  }

  static Finished built_;
  static nlohmann::json transcript_;
};
Finished ModelCli::built_;
nlohmann::json ModelCli::transcript_;

TEST_F(ModelCli, BuildPrintsTheBudget) {
  EXPECT_EQ(built_.status, 0) << built_.out;
  EXPECT_THAT(built_.out, HasSubstr("12 layers"));
  EXPECT_TRUE(fs::exists(fs::path(model()) / "model.safetensors"));
}

TEST_F(ModelCli, BuildRefuses) {
  Finished base = run("model build --base /somewhere --out " + (folder() / "other").string());
  EXPECT_EQ(base.status, 4);
  EXPECT_THAT(base.out, HasSubstr("--base"));
  EXPECT_FALSE(fs::exists(folder() / "other"));
  EXPECT_EQ(run("model build --out " + model()).status, 3);  // it is there already
  std::string out = " --out " + (folder() / "other").string();
  Finished wrong = run("model build --machine " + file("w.json", "{\"warps\": 3}") + out);
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.out, HasSubstr("w.json:1:1: error: warps is 3"));
  EXPECT_EQ(run("model build --machine " + file("x.json", "{\"wraps\": 4}") + out).status, 3);
  EXPECT_EQ(run("model build").status, 2);
  EXPECT_EQ(run("model").status, 2);
}

TEST_F(ModelCli, ReplayOfAWholeRunIs0) {
  ASSERT_EQ(transcript_["halted"], true);
  for (const char* options : {"", "--float32", "--plain"}) {
    Finished finished = replay(transcript_, options);
    EXPECT_EQ(finished.status, 0) << finished.out;
    EXPECT_THAT(finished.out, HasSubstr("pass"));
  }
  nlohmann::json report = nlohmann::json::parse(replay(transcript_, "--json").out);
  EXPECT_EQ(report["verdict"], "pass");
  EXPECT_EQ(report["equal"], transcript_["run"].size());
}

TEST_F(ModelCli, ReplayOfAnythingElseIs1) {
  nlohmann::json cut = transcript_;
  cut["run"].erase(cut["run"].end() - 1);
  Finished finished = replay(cut);
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr("cut off"));
  nlohmann::json other = transcript_;
  other["run"][0] = other["run"][1];
  EXPECT_EQ(replay(other).status, 1);
  nlohmann::json empty = transcript_;
  empty["run"] = nlohmann::json::array();
  EXPECT_EQ(replay(empty).status, 1);
  nlohmann::json prompt = transcript_;  // another launch than the one that ran
  prompt["prompt"].erase(prompt["prompt"].size() - 2);
  EXPECT_EQ(replay(prompt).status, 1);
}

TEST_F(ModelCli, ReplayOfBrokenFilesIs3) {
  Finished broken = run("replay " + file("b.json", "{\"schema\": 1,") + " --model " + model());
  EXPECT_EQ(broken.status, 3);
  EXPECT_THAT(broken.out, HasSubstr("b.json:1:"));
  EXPECT_EQ(run("replay /no/such.json --model " + model()).status, 3);
  EXPECT_EQ(run("replay " + file("c.json", "{}") + " --model /no/such").status, 3);
  fs::path file_of_weights = fs::path(model()) / "model.safetensors";
  uint64_t size = fs::file_size(file_of_weights);
  fs::resize_file(file_of_weights, size - 1);
  Finished truncated = replay(transcript_);
  EXPECT_EQ(truncated.status, 3);
  EXPECT_THAT(truncated.out, HasSubstr("truncated"));
  fs::resize_file(file_of_weights, size);  // the last byte belongs to a tensor of zeros
  EXPECT_EQ(replay(transcript_).status, 0);
}

}  // namespace
