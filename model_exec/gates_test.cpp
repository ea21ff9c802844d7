// Every gate family on the layers' equations, against plain arithmetic: both types, and with an
// rsqrt that is off by up to 2 units in the last place.

#include <random>

#include <gtest/gtest.h>

#include "circuit/weights/gates.h"
#include "circuit/weights/tensors.h"
#include "model_exec/plain_layer.h"

namespace warplock::model_exec {
namespace {

using weights::Circuit;
using weights::Form;
using weights::Signal;
using weights::Signals;

class GateTest : public ::testing::TestWithParam<ArithmeticOptions> {
 protected:
  GateTest() : arithmetic_(GetParam()), residual_(2048) {
    residual_[0] = residual_[1] = 16777216.0f;
  }
  /// What an exact sum may be off by: nothing, unless rsqrt is off and nothing rounds it away.
  float tolerance() const {
    return GetParam().precision == Precision::kFloat32 && GetParam().rsqrt_ulps > 0 ? 1e-3f : 0;
  }
  void begin() {
    circuit_.begin_layer("gate");
    circuit_.begin_units();
  }
  void finish() {
    tensors_ = weights::layer_tensors(circuit_.layers().back(), shape_, {0x1p-19, false, 0});
    layer_ = std::make_unique<PlainLayer>(tensors_, shape_);
  }
  void set(const Signals& bits, uint64_t value) {
    for (size_t i = 0; i < bits.size(); ++i) residual_[bits[i].dim] = (value >> i) & 1 ? 1.0f : 0;
  }
  void apply() { layer_->apply(residual_, arithmetic_); }
  float value(const Signal& signal) const { return residual_[signal.dim]; }
  void zero(const Signals& signals) {
    for (const Signal& signal : signals) residual_[signal.dim] = 0;
  }

  Circuit circuit_;
  weights::ModelShape shape_;
  weights::LayerTensors tensors_;
  std::unique_ptr<PlainLayer> layer_;
  Arithmetic arithmetic_;
  std::vector<float> residual_;
};

TEST_P(GateTest, ThermometerIsAnyFunction) {
  std::mt19937 random(1);
  Signals bits = circuit_.allocate(8), out = circuit_.allocate(3), on = circuit_.allocate(1);
  begin();
  std::vector<weights::Table> tables;
  for (const Signal& signal : out) {
    tables.push_back({signal, weights::tabulate(255, [&](int) { return int(random() % 7) - 3; })});
  }
  weights::thermometer(circuit_, weights::number(bits), 255, tables, weights::only_if(on, 260));
  finish();
  for (uint32_t s = 0; s < 256; ++s) {
    for (uint32_t enabled = 0; enabled < 2; ++enabled) {
      set(bits, s);
      set(on, enabled);
      zero(out);
      apply();
      for (size_t i = 0; i < out.size(); ++i) {
        EXPECT_NEAR(value(out[i]), enabled ? tables[i].value[s] : 0, 40 * tolerance()) << s;
      }
    }
  }
}

TEST_P(GateTest, ThermometerTimesAValue) {
  Signals bits = circuit_.allocate(5), bit = circuit_.allocate(1), out = circuit_.allocate(1);
  begin();
  std::vector<double> parity = weights::tabulate(31, [](int s) { return s % 2; });
  weights::thermometer(circuit_, weights::number(bits), 31, {{out[0], parity}}, {}, bit[0]);
  finish();
  for (uint32_t s = 0; s < 64; ++s) {
    set(bits, s % 32);
    set(bit, s / 32);
    zero(out);
    apply();
    EXPECT_NEAR(value(out[0]), (s / 32) * (s % 2), 4 * tolerance());
  }
}

TEST_P(GateTest, StepTakesNoise) {
  Signals in = circuit_.allocate(1, 0, 8), on = circuit_.allocate(1), out = circuit_.allocate(1);
  in[0].noisy = true;
  begin();
  weights::step(circuit_, in[0], 3, {{out[0], 1}}, weights::only_if(on, 16));
  finish();
  for (int s = 0; s <= 8; ++s) {
    for (float noise : {-0.05f, -1e-4f, -1e-7f, 0.0f, 1e-7f, 1e-4f, 0.05f}) {
      for (uint32_t enabled = 0; enabled < 2; ++enabled) {
        residual_[in[0].dim] = arithmetic_.round(static_cast<float>(s) + noise);
        set(on, enabled);
        zero(out);
        apply();
        float wanted = enabled && s >= 3 ? 1 : 0;
        // A noisy gate is rounded, twice, to bfloat16: up to 8 in 256 for the largest here.
        EXPECT_NEAR(value(out[0]), wanted, std::fabs(noise) > 1e-3f ? 0.07f : 1e-4f + tolerance())
            << s << " + " << noise;
      }
    }
  }
}

TEST_P(GateTest, GatedCopyCopies) {
  Signals bits = circuit_.allocate(7), in = circuit_.allocate(1, -1, 1), out = circuit_.allocate(1);
  begin();
  weights::gated_copy(circuit_, weights::number(bits), 77, in[0], out[0]);
  finish();
  for (uint32_t s = 0; s < 128; ++s) {
    for (float v : {-1.0f, 0.0f, 1.0f}) {
      set(bits, s);
      residual_[in[0].dim] = v;
      zero(out);
      apply();
      EXPECT_NEAR(value(out[0]), s >= 77 ? v : 0, 40 * tolerance());
    }
  }
}

TEST_P(GateTest, ConditionsAndClears) {
  Signals bits = circuit_.allocate(5), out = circuit_.allocate(1),
          cleared = circuit_.allocate(2, 0, 9);
  begin();
  weights::Conditions conditions = weights::spells(bits, 0b10110);
  weights::when(circuit_, conditions, {{out[0], 3}});
  weights::zero(circuit_, {cleared[0]});
  weights::zero(circuit_, {cleared[1]}, bits[0]);
  finish();
  for (uint32_t s = 0; s < 32; ++s) {
    set(bits, s);
    zero(out);
    residual_[cleared[0].dim] = 7;
    residual_[cleared[1].dim] = 9;
    apply();
    EXPECT_NEAR(value(out[0]), s == 0b10110 ? 3 : 0, tolerance());
    EXPECT_NEAR(value(cleared[0]), 0, tolerance());
    EXPECT_NEAR(value(cleared[1]), s % 2 ? 0 : 9, tolerance());
  }
}

/// A head as a memory: 200 random writes, reads, clears, against an array.
TEST_P(GateTest, HeadIsAMemory) {
  Signals address = circuit_.allocate(7), write = circuit_.allocate(1), read = circuit_.allocate(1);
  Signals data = circuit_.allocate(16), forget = circuit_.allocate(1), out = circuit_.allocate(16);
  circuit_.begin_layer("memory");
  weights::Head head;
  head.write = {address, {weights::is(write[0])}};
  head.read = {address, {weights::is(read[0])}};
  for (const Signal& bit : data) head.values.push_back(bit);
  head.outputs = out;
  head.clear = forget;
  circuit_.add_head(head);
  finish();
  std::mt19937 random(7);
  std::vector<uint32_t> memory(128);
  for (int i = 0; i < 3000; ++i) {
    uint32_t row = random() % 127, word = random() % 65536;  // row 127 is the idle one
    uint32_t action = random() % 100;
    set(address, row);
    set(data, word);
    set(write, action < 50);
    set(read, action >= 30);
    set(forget, action == 99);
    zero(out);
    apply();
    if (action == 99) std::fill(memory.begin(), memory.end(), 0);
    if (action < 50) memory[row] = word;
    for (uint32_t bit = 0; bit < 16; ++bit) {
      float wanted = action >= 30 && ((memory[row] >> bit) & 1) ? 1 : 0;
      ASSERT_NEAR(value(out[bit]), wanted, 1e-6) << "step " << i;
    }
  }
}

/// Reading all rows gives 8 / (rows written) for each row that has the bit.
TEST_P(GateTest, HeadSumsAllRows) {
  Signals address = circuit_.allocate(3), write = circuit_.allocate(1), data = circuit_.allocate(8);
  Signals out = circuit_.allocate(8);
  circuit_.begin_layer("sum");
  weights::Head head;
  head.write = {address, {weights::is(write[0])}};
  head.read_all = true;
  head.rows = 8;
  for (const Signal& bit : data) head.values.push_back(bit);
  head.outputs = out;
  circuit_.add_head(head);
  finish();
  set(write, 1);
  for (uint32_t row = 0; row < 8; ++row) {
    set(address, row);
    set(data, 1u << row);
    zero(out);
    apply();
    for (uint32_t bit = 0; bit < 8; ++bit) {
      float wanted = bit <= row ? 8.0f / static_cast<float>(row + 1) : 0;
      EXPECT_NEAR(value(out[bit]), wanted, wanted / 250) << row << " " << bit;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GateTest,
                         ::testing::Values(ArithmeticOptions{Precision::kBfloat16, 0, 1},
                                           ArithmeticOptions{Precision::kBfloat16, 2, 2},
                                           ArithmeticOptions{Precision::kFloat32, 0, 3},
                                           ArithmeticOptions{Precision::kFloat32, 2, 4}),
                         [](const auto& parameter) {
                           return std::string(parameter.param.precision == Precision::kBfloat16
                                                  ? "bfloat16"
                                                  : "float32") +
                                  "_ulp" + std::to_string(parameter.param.rsqrt_ulps);
                         });

// The language refuses what would not be exact.
TEST(CircuitRules, RefuseInexactAndStale) {
  Circuit circuit;
  Signals bits = circuit.allocate(9), out = circuit.allocate(1);
  circuit.begin_layer("a");
  EXPECT_THROW(circuit.add_unit(1.0, 1.0, {{out[0], 1}}), weights::CircuitError);  // heads first
  circuit.begin_units();
  EXPECT_THROW(circuit.add_unit(weights::number(bits), 1.0, {{out[0], 1}}), weights::CircuitError);
  EXPECT_THROW(circuit.add_unit(Form(bits[0]) + 0.001, 1.0, {{out[0], 1}}), weights::CircuitError);
  Signals fresh = circuit.allocate(1);
  EXPECT_THROW(circuit.add_unit(fresh[0], 1.0, {{out[0], 1}}), weights::CircuitError);
  weights::clear(circuit, {bits[0]});
  circuit.add_unit(bits[0], 1.0, {{out[0], 1}});  // still there in this layer
  circuit.begin_layer("b");
  circuit.begin_units();
  EXPECT_THROW(circuit.add_unit(bits[0], 1.0, {{out[0], 1}}), weights::CircuitError);
  EXPECT_THROW(circuit.allocate(1700), weights::CircuitError);
}

}  // namespace
}  // namespace warplock::model_exec
