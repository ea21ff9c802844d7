#include "circuit/weights/protocol.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/weights/machine/machine.h"
#include "circuit/weights/model.h"

namespace warplock::weights {
namespace {

using circuit::Step;

TEST(VocabularyTest, EveryIdSaysWhatItIs) {
  circuit::MachineSpec small;
  small.warps = 2;
  small.registers = 4;
  small.blocks = 3;
  small.slots = 2;
  small.max_ctas_x = 5;
  for (uint32_t first : {0u, 1000u}) {
    for (const circuit::MachineSpec& spec : {circuit::MachineSpec{}, small}) {
      Vocabulary vocabulary(spec, first);
      std::set<std::string> texts;
      for (uint32_t id = first; id < first + vocabulary.size(); ++id) {
        ASSERT_EQ(vocabulary.id(vocabulary.token(id)), id);
        std::string text = vocabulary.text(id);
        EXPECT_EQ(text.find(' '), std::string::npos);
        ASSERT_TRUE(texts.insert(text).second) << text;
      }
      EXPECT_THROW(vocabulary.token(first + vocabulary.size()), std::out_of_range);
      EXPECT_THROW(vocabulary.token(first - 1), std::out_of_range);
    }
  }
}

TEST(VocabularyTest, HasNoTokenThatWritesRegisterZero) {
  Vocabulary vocabulary({});
  Token token;
  token.kind = Token::Kind::kRegisterHeader;
  token.mask = 15;
  EXPECT_THROW(vocabulary.id(token), std::out_of_range);
  token.index = 1;
  EXPECT_NO_THROW(vocabulary.id(token));
  token.mask = 0;
  EXPECT_THROW(vocabulary.id(token), std::out_of_range);
  token.mask = 1;
  token.warp = 8;
  EXPECT_THROW(vocabulary.id(token), std::out_of_range);
}

TEST(VocabularyTest, RunIdsComeFirst) {
  Vocabulary vocabulary({});
  EXPECT_EQ(vocabulary.token(vocabulary.run_size() - 1).kind, Token::Kind::kHalt);
  EXPECT_EQ(vocabulary.token(vocabulary.run_size()).kind, Token::Kind::kConfig);
}

std::vector<Step> all_kinds() {
  std::vector<Step> steps(7);
  steps[0].kind = Step::Kind::kExec;
  steps[0].block = 31, steps[0].warp = 7, steps[0].mask = 9, steps[0].release = true;
  steps[1].kind = Step::Kind::kRegister;
  steps[1].warp = 3, steps[1].index = 15, steps[1].mask = 5, steps[1].slot = 2;
  steps[1].data = {0x01020304, 0, 0xff000000, 0};
  steps[2].kind = Step::Kind::kRegister;  // a record of zeros
  steps[2].index = 1, steps[2].mask = 15;
  steps[3].kind = Step::Kind::kMemory;
  steps[3].mask = 10, steps[3].slot = 7;
  steps[3].data = {0, 5, 0, 0x80000000}, steps[3].rows = {0, 126, 0, 1};
  steps[4].kind = Step::Kind::kCtaRow;
  steps[4].index = 255;
  steps[5].kind = Step::Kind::kCta;
  steps[6].kind = Step::Kind::kHalt;
  return steps;
}

TEST(ProtocolTest, StepsSurviveTheirTokens) {
  std::vector<Token> tokens;
  for (const Step& step : all_kinds()) {
    for (const Token& token : tokens_of(step)) tokens.push_back(token);
  }
  EXPECT_EQ(steps_of({}, tokens), all_kinds());
}

TEST(ProtocolTest, OnlyBytesThatAreNotZeroAreSent) {
  EXPECT_EQ(tokens_of(all_kinds()[1]).size(), 1u + 4 + 1);
  std::vector<Token> zeros = tokens_of(all_kinds()[2]);
  ASSERT_EQ(zeros.size(), 2u);
  EXPECT_EQ(text_of(zeros[1]), "<|byte0:00:end|>");
  EXPECT_EQ(tokens_of(all_kinds()[3]).size(), 1u + 1 + 1 + 2);
}

/// Lanes outside of the mask have nothing to say.
TEST(ProtocolTest, MaskedLanesAreNotSent) {
  Step step = all_kinds()[1];
  step.data[1] = 77;
  EXPECT_EQ(tokens_of(step), tokens_of(all_kinds()[1]));
}

TEST(ProtocolTest, RefusesWhatNoMachineWrites) {
  std::vector<Token> record = tokens_of(all_kinds()[1]);
  auto error = [](std::vector<Token> tokens) -> std::string {
    try {
      steps_of({}, tokens);
    } catch (const ProtocolError& failure) {
      return failure.what();
    }
    return "none";
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(error(record), "none");
  EXPECT_THAT(error({record[0], record[1]}), HasSubstr("token 2: the run ends inside a record"));
  EXPECT_THAT(error({record[0], Token{}}), HasSubstr("token 1: a record is not complete"));
  EXPECT_THAT(error({record[1]}), HasSubstr("token 0: a piece without a record"));
  EXPECT_THAT(error({record[0], record[2], record[1]}), HasSubstr("out of order"));
  EXPECT_THAT(error({record[0], record[1], record[1]}), HasSubstr("out of order"));
  Token masked = record[1];
  masked.chunk = 4;
  EXPECT_THAT(error({record[0], masked}), HasSubstr("masked lane"));
  Token row;
  row.kind = Token::Kind::kRowPiece;
  EXPECT_THAT(error({record[0], row}), HasSubstr("a row in a register record"));
  Token reset;
  reset.kind = Token::Kind::kReset;
  EXPECT_THAT(error({reset}), HasSubstr("only a prompt"));
}

TEST(ProtocolTest, PromptRefusesInvalidPrograms) {
  circuit::MachineProgram program;
  EXPECT_THROW(prompt_of(program), std::invalid_argument);
  program.blocks.resize(1);
  program.blocks[0].slots.resize(4);
  program.warp_lanes = {1};
  EXPECT_EQ(prompt_of(program).size(), 1u + 2 + 2 + 1);  // two records with an exit bit each
  program.blocks[0].taken = 5;
  EXPECT_THROW(prompt_of(program), std::invalid_argument);
}

/// The record's bytes and the machine's own order of bits are two statements of one thing.
TEST(RomRecordTest, IsAsLongAsTheMachinesBits) {
  for (uint32_t slots = 1; slots <= 4; ++slots) {
    circuit::MachineProgram program;
    program.spec.slots = slots;
    program.blocks.resize(1);
    program.blocks[0].slots.resize(slots);
    std::unique_ptr<Machine> machine = build_machine(program.spec);
    for (uint32_t slot = 0; slot < slots; ++slot) {
      EXPECT_EQ(rom_record(program, 0, slot).size(), (machine->rom_bits(slot).size() + 7) / 8);
    }
  }
}

TEST(MachineTest, RefusesWhatDoesNotFit) {
  circuit::MachineSpec spec;
  spec.blocks = 33;
  EXPECT_THROW(build_machine(spec), std::invalid_argument);
  Limits narrow;
  narrow.units = 5000;
  EXPECT_THROW(build_machine({}, narrow), CircuitError);
  narrow = {};
  narrow.reserved_dimensions = 600;
  EXPECT_THROW(build_machine({}, narrow), CircuitError);
  narrow = {};
  narrow.heads = 15;
  EXPECT_THROW(build_machine({}, narrow), CircuitError);
}

TEST(MachineTest, RowsHaveOneNorm) {
  ModelShape shape;
  RowTrim trim = row_trim(shape);
  double sum = kRowEntries * kRowAmplitude * kRowAmplitude;
  for (float part : {trim.first, trim.second, trim.third}) {
    EXPECT_TRUE(is_bfloat16(part));
    sum += static_cast<double>(part) * part;
  }
  float mean = static_cast<float>(sum) / 2048 + 1e-6f;
  EXPECT_EQ(static_cast<float>(1 / std::sqrt(static_cast<double>(mean))), 128.0f);
  shape.rms_norm_eps = 1e-3;
  EXPECT_THROW(row_trim(shape), CircuitError);
}

}  // namespace
}  // namespace warplock::weights
