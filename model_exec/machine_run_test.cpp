#include <chrono>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circuit/emulator.h"
#include "circuit/weights/protocol.h"
#include "model_exec/run_check.h"
#include "model_exec/sample_programs.h"

namespace warplock::model_exec {
namespace {

using circuit::Emulator;
using circuit::MachineProgram;
using circuit::Step;
using weights::Token;

TEST(MachineBudget, FitsTheModel) {
  const BuiltMachine& built = default_machine();
  std::string text = weights::budget(*built.machine);
  fmt::print("{}", text);
  EXPECT_NE(text.find("30 layers"), std::string::npos);
  EXPECT_LE(built.tensors->layers.size(), 32u);
  EXPECT_LE(built.machine->circuit.dimensions(), 2048u - 400u);
}

/// Smaller machines, at the limits of what can be chosen.
TEST(SmallerMachines, RunRandomPrograms) {
  std::vector<circuit::MachineSpec> specs(3);
  specs[0].warps = 1, specs[0].registers = 2, specs[0].blocks = 1, specs[0].slots = 1;
  specs[0].memory_rows = 2, specs[0].max_ctas_x = 1, specs[0].max_ctas_y = 1;
  specs[1].warps = 2, specs[1].registers = 4, specs[1].blocks = 5, specs[1].slots = 2;
  specs[1].memory_rows = 31, specs[1].max_ctas_x = 7, specs[1].max_ctas_y = 1;
  specs[2].warps = 4, specs[2].registers = 8, specs[2].blocks = 17, specs[2].slots = 3;
  specs[2].memory_rows = 64, specs[2].max_ctas_x = 2, specs[2].max_ctas_y = 100;
  for (const circuit::MachineSpec& spec : specs) {
    BuiltMachine built = build(spec);
    SparseModel model(built.tensors, {});
    EXPECT_EQ(built.tensors->layers.size(), 6u + 6u * spec.slots);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      EXPECT_EQ(compare_run(model, built.vocabulary, testing::random_program(spec, seed), 150), "")
          << spec.slots << " slots, seed " << seed;
    }
  }
}

class SampleRun : public ::testing::TestWithParam<std::pair<Precision, uint32_t>> {};

TEST_P(SampleRun, EveryTokenIsTheEmulators) {
  const BuiltMachine& built = default_machine();
  const weights::Vocabulary& vocabulary = built.vocabulary;
  SparseModel model(built.tensors, {{GetParam().first, GetParam().second, 1}, false});
  for (const testing::SampleProgram& sample : testing::sample_programs()) {
    std::vector<uint32_t> memory;
    size_t tokens = 0;
    EXPECT_EQ(compare_run(model, vocabulary, sample.program, 2000, &tokens, &memory), "")
        << sample.name;
    ASSERT_FALSE(memory.empty()) << sample.name;
    EXPECT_TRUE(sample.right(memory)) << sample.name;
    fmt::print("{}: prompt {}, run {}\n", sample.name, weights::prompt_of(sample.program).size(),
               tokens);
  }
}

/// WARPLOCK_CAMPAIGN_SECONDS makes these a campaign; WARPLOCK_SEED starts it elsewhere.
double campaign_seconds() {
  const char* text = std::getenv("WARPLOCK_CAMPAIGN_SECONDS");
  return text ? std::atof(text) : 1.0;
}
uint64_t campaign_seed() {
  const char* text = std::getenv("WARPLOCK_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

/// WARPLOCK_RSQRT_ULPS lets rsqrt be off by so many units (and the engine is the plain one).
uint32_t campaign_ulps() {
  const char* text = std::getenv("WARPLOCK_RSQRT_ULPS");
  return text ? static_cast<uint32_t>(std::atoi(text)) : 0;
}

/// An rsqrt that is off by up to 2 units in the last place changes no decision.
TEST_P(SampleRun, InexactRsqrt) {
  const BuiltMachine& built = default_machine();
  SparseModel model(built.tensors, {{GetParam().first, 2, 7}, false});
  for (const testing::SampleProgram& sample : testing::sample_programs()) {
    if (sample.name.rfind("dot", 0) != 0) continue;
    EXPECT_EQ(compare_run(model, built.vocabulary, sample.program, 2000), "") << sample.name;
  }
  EXPECT_EQ(model.plain_half_layers(), model.half_layers());
}

TEST_P(SampleRun, RandomPrograms) {
  const BuiltMachine& built = default_machine();
  const weights::Vocabulary& vocabulary = built.vocabulary;
  SparseModel model(built.tensors, {{GetParam().first, campaign_ulps(), campaign_seed()}, false});
  auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> limit(campaign_seconds());
  size_t programs = 0, tokens = 0;
  for (uint64_t seed = campaign_seed(); std::chrono::steady_clock::now() - start < limit; ++seed) {
    MachineProgram program = testing::random_program(built.machine->spec, seed);
    ASSERT_EQ(compare_run(model, vocabulary, program, 400, &tokens), "") << "seed " << seed;
    ++programs;
  }
  fmt::print("{} random programs, {} run tokens\n", programs, tokens);
}

/// The comparison itself: weights that are not the machine's are noticed.
TEST(WrongWeights, AreNoticed) {
  const BuiltMachine& built = default_machine();
  auto broken = std::make_shared<weights::ModelTensors>(*built.tensors);
  for (float& weight : broken->layers[5].gate.value) {
    if (weight > 0) weight = -weight;  // the third stage of slot 0: memory reads, the multiplier
  }
  SparseModel model(broken, {});
  EXPECT_NE(compare_run(model, built.vocabulary, testing::sample_programs()[0].program, 100), "");
}

/// Both ways of computing give the same bits behind every half layer.
TEST_P(SampleRun, SparseIsPlain) {
  const BuiltMachine& built = default_machine();
  const weights::Vocabulary& vocabulary = built.vocabulary;
  ArithmeticOptions arithmetic{GetParam().first, 0, 1};
  SparseModel sparse(built.tensors, {arithmetic, false}), plain(built.tensors, {arithmetic, true});
  std::vector<std::vector<float>> wanted;
  plain.observe([&](uint32_t, bool, const std::vector<float>& x) { wanted.push_back(x); });
  size_t at = 0, compared = 0;
  sparse.observe([&](uint32_t layer, bool mlp, const std::vector<float>& x) {
    ASSERT_LT(at, wanted.size());
    const std::vector<float>& y = wanted[at++];
    for (size_t dim = 0; dim < x.size(); ++dim) {
      ASSERT_EQ(x[dim], y[dim]) << "layer " << layer << (mlp ? " mlp" : " mixer") << " dimension "
                                << dim;
    }
    compared += x.size();
  });
  for (uint64_t seed : {1000u, 1001u}) {
    MachineProgram program = testing::random_program(built.machine->spec, seed);
    Emulator emulator(program);
    std::vector<Token> tokens = weights::prompt_of(program);
    size_t prompt = tokens.size();
    if (prompt > 150) {  // the reset, and the end of the prompt: enough to keep the test short
      tokens.erase(tokens.begin() + 40, tokens.end() - 100);
    }
    while (tokens.size() < 200) {
      for (const Token& token : weights::tokens_of(emulator.next())) tokens.push_back(token);
    }
    sparse.reset();
    plain.reset();
    for (const Token& token : tokens) {
      wanted.clear();
      at = 0;
      plain.append(vocabulary.id(token));
      sparse.append(vocabulary.id(token));
      if (HasFatalFailure()) return;
      EXPECT_EQ(sparse.choose(0, vocabulary.size()).id, plain.choose(0, vocabulary.size()).id);
    }
  }
  fmt::print("{} activations compared, {} of {} half layers plain\n", compared,
             sparse.plain_half_layers(), sparse.half_layers());
}

INSTANTIATE_TEST_SUITE_P(Types, SampleRun,
                         ::testing::Values(std::pair{Precision::kBfloat16, 0u},
                                           std::pair{Precision::kFloat32, 0u}));

}  // namespace
}  // namespace warplock::model_exec
