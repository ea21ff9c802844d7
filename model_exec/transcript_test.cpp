#include "model_exec/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/weights/protocol.h"
#include "model_exec/run_check.h"
#include "model_exec/sample_programs.h"

namespace warplock::model_exec {
namespace {

using weights::Token;

class TranscriptTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const BuiltMachine& built = default_machine();
    model_ = new SparseModel(built.tensors, {});
    std::vector<uint32_t> prompt;
    for (const Token& token : weights::prompt_of(testing::sample_programs()[0].program)) {
      prompt.push_back(built.vocabulary.id(token));
    }
    transcript_ = run_prompt(*model_, built.vocabulary, prompt, 1000);
  }
  static void TearDownTestSuite() { delete model_; }

  static const weights::Vocabulary& vocabulary() { return default_machine().vocabulary; }
  static Transcript read(const std::string& text) {
    return read_transcript(std::make_shared<diagnostics::SourceText>("t.json", text), vocabulary());
  }
  static std::string error(const std::string& text) {
    try {
      read(text);
    } catch (const diagnostics::InputError& error) {
      return diagnostics::render(error.diagnostics());
    }
    return "none";
  }

  static SparseModel* model_;
  static Transcript transcript_;
};
SparseModel* TranscriptTest::model_ = nullptr;
Transcript TranscriptTest::transcript_;

TEST_F(TranscriptTest, DotProductOfThreeTakesEighteenTokens) {
  EXPECT_TRUE(transcript_.halted);
  EXPECT_EQ(transcript_.prompt.size(), 48u);
  EXPECT_EQ(transcript_.run.size(), 18u);
  std::vector<Token> run;
  for (uint32_t id : transcript_.run) run.push_back(vocabulary().token(id));
  std::vector<circuit::Step> steps = weights::steps_of({}, run);
  const circuit::Step& store = steps[steps.size() - 2];
  EXPECT_EQ(store.kind, circuit::Step::Kind::kMemory);
  EXPECT_EQ(store.data[0], 32u);
}

TEST_F(TranscriptTest, SurvivesItsFile) {
  std::string text = transcript_json(transcript_, vocabulary());
  EXPECT_THAT(text, ::testing::HasSubstr("<|exec:b0:w0:0111|>"));
  Transcript again = read(text);
  EXPECT_EQ(again.prompt, transcript_.prompt);
  EXPECT_EQ(again.run, transcript_.run);
  Replay result = replay(*model_, vocabulary(), again);
  EXPECT_EQ(result.equal, 18u);
  EXPECT_FALSE(result.failure);
}

TEST_F(TranscriptTest, CutOffIsAFailure) {
  for (size_t length : {0, 1, 17}) {
    Transcript cut = transcript_;
    cut.run.resize(length);
    cut.halted = false;
    Replay result = replay(*model_, vocabulary(), cut);
    EXPECT_EQ(result.equal, length);
    EXPECT_THAT(result.failure.value_or(""), ::testing::HasSubstr("cut off"));
  }
  Transcript limited = run_prompt(*model_, vocabulary(), transcript_.prompt, 5);
  EXPECT_FALSE(limited.halted);
  EXPECT_EQ(limited.run.size(), 5u);
}

TEST_F(TranscriptTest, AnyOtherTokenIsAFailure) {
  for (size_t at = 0; at < transcript_.run.size(); ++at) {
    Transcript other = transcript_;
    other.run[at] = other.run[at] == 0 ? 1 : other.run[at] - 1;
    Replay result = replay(*model_, vocabulary(), other);
    EXPECT_EQ(result.equal, at);
    EXPECT_TRUE(result.failure);
  }
  Transcript longer = transcript_;
  longer.run.push_back(longer.run.back());
  EXPECT_TRUE(replay(*model_, vocabulary(), longer).failure);
}

TEST_F(TranscriptTest, RefusesWhatIsNone) {
  EXPECT_THAT(error("{\"schema\": 1"), ::testing::HasSubstr("t.json:1"));
  EXPECT_THAT(error("{\"schema\": 2, \"prompt\": [], \"run\": []}"),
              ::testing::HasSubstr("schema"));
  EXPECT_THAT(error("{\"schema\": 1, \"prompt\": []}"), ::testing::HasSubstr("has \"schema\""));
  EXPECT_THAT(error("{\"schema\": 1, \"prompt\": [{\"id\": 99999}], \"run\": []}"),
              ::testing::HasSubstr("no id of this machine"));
  EXPECT_THAT(error("{\"schema\": 1, \"prompt\": [{\"id\": 0, \"text\": \"x\"}], \"run\": []}"),
              ::testing::HasSubstr("the text of 0"));
  EXPECT_THAT(error("{\"schema\": 1, \"prompt\": [{}], \"run\": []}"),
              ::testing::HasSubstr("no \"id\""));
}

}  // namespace
}  // namespace warplock::model_exec
