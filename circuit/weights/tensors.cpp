#include "circuit/weights/tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace warplock::weights {
namespace {

// silu and sigmoid are exact at these places: silu(K s) is 0 or K s for integers s, sigmoid 0 or 1.
constexpr double kGate = 256;      // K
constexpr double kHot = 64;        // the key and query pre-activation of the addressed row
constexpr double kMismatch = 256;  // taken from it for every wrong bit
constexpr double kValue = 64;      // value pre-activation of 1
constexpr double kAnchorValue = 16777216;
constexpr double kOutputGate = 128;  // silu(z)
constexpr double kOpen = 512;        // beta pre-activation is -256 or 256
constexpr double kForget = 1024;     // with dt_bias -200, the decay is exp(-824) = 0
constexpr uint32_t kReadAllRows = 32;

/// Writes one projection row from a form.
class Rows {
 public:
  Rows(MatrixBuilder& matrix, const LayerScale& scale) : matrix_(matrix), scale_(scale) {}

  void constant(uint32_t row, double value) const {
    if (value == 0) return;
    double anchor = kAnchorValue * scale_.input_scale;
    if (scale_.first) {
      matrix_.add(row, scale_.one, value / (scale_.input_scale / 16));
      return;
    }
    // More than 8 significant bits: the high part on one anchor, the rest on the other.
    double high = round_to_bfloat16(static_cast<float>(value));
    matrix_.add(row, 0, high / anchor);
    if (value != high) matrix_.add(row, 1, (value - high) / anchor);
  }
  void signal(uint32_t row, const Signal& signal, double coefficient) const {
    matrix_.add(row, signal.dim, coefficient / (signal.scale * scale_.input_scale));
  }
  void form(uint32_t row, const Form& form, double factor) const {
    for (const Term& term : form.terms) signal(row, term.signal, term.coefficient * factor);
    constant(row, form.constant * factor);
  }

 private:
  MatrixBuilder& matrix_;
  const LayerScale& scale_;
};

/// A term that is 0 where the bit is as wanted and at most -kMismatch otherwise. A field of the
/// first layer is -1 or 1.
Form mismatch(const Condition& condition) {
  bool sign = condition.signal.low < 0;
  double wanted = condition.wanted ? 1 : -1;
  Form form = wanted * (sign ? kMismatch / 2 : kMismatch) * Form(condition.signal);
  if (sign || condition.wanted) form += -(sign ? kMismatch / 2 : kMismatch);
  return form;
}

void write_address(const Rows& rows, uint32_t start, const Address& address, uint32_t row_count,
                   uint32_t idle_row, bool reading) {
  Form enabled = kHot;
  for (const Condition& condition : address.enables) enabled += mismatch(condition);
  uint32_t addressed = std::min(row_count, 1u << address.bits.size());
  for (uint32_t row = 0; row < addressed; ++row) {
    if (row == idle_row) continue;
    Form form = enabled;
    for (const Condition& bit : spells(address.bits, row)) form += mismatch(bit);
    rows.form(start + row, form, 1);
  }
  if (reading) rows.form(start + idle_row, enabled, 1);
}

void write_head(const Head& head, uint32_t index, const ModelShape& shape, const LayerScale& scale,
                MatrixBuilder& qkv, MatrixBuilder& z, MatrixBuilder& a, MatrixBuilder& b,
                MatrixBuilder& out) {
  Rows rows(qkv, scale);
  uint32_t query = index * shape.head_dim, key = shape.head_width() + query,
           value = 2 * shape.head_width() + query;
  if (head.read_all) {
    for (uint32_t row = 0; row < kReadAllRows; ++row) rows.constant(query + row, kHot);
  } else {
    write_address(rows, query, head.read, head.rows, head.idle_row, true);
  }
  write_address(rows, key, head.write, head.rows, head.idle_row, false);
  for (uint32_t i = 0; i < head.values.size(); ++i) {
    bool sign = std::any_of(head.values[i].terms.begin(), head.values[i].terms.end(),
                            [](const Term& term) { return term.signal.low < 0; });
    double unit = sign ? 2 * kValue : kValue;  // far enough below 0 for a field of -1
    rows.form(value + i, head.values[i], unit);
    // Read with two hot rows the value is unit / 16, the anchors' 2^20; the norm over the head
    // makes that unit * 2^-21, silu(z) times 2^7. Reading all rows gives 1 / (rows written) of it
    // instead.
    double one = unit * std::ldexp(1.0, -21) * kOutputGate;
    out.add(head.outputs[i].dim, index * shape.head_dim + i,
            head.outputs[i].scale / one * (head.read_all ? 8 : 1));
    Rows(z, scale).constant(query + i, kOutputGate);
  }
  for (uint32_t anchor : {126u, 127u}) rows.constant(value + anchor, kAnchorValue);
  Rows(b, scale).form(index, kOpen * Form(head.write.enables[0].signal) - kOpen / 2, 1);
  for (const Signal& flag : head.clear) Rows(a, scale).signal(index, flag, kForget);
}

}  // namespace

float round_to_bfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) >= 0x7f800000) return value;
  bits += 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(bits & 0xffff0000);
}

bool is_bfloat16(double value) {
  float single = static_cast<float>(value);
  return static_cast<double>(single) == value && (std::bit_cast<uint32_t>(single) & 0xffff) == 0;
}

void MatrixBuilder::add(uint32_t row, uint32_t column, double value) {
  if (value != 0) rows_.at(row).push_back({column, value});
}

SparseMatrix MatrixBuilder::finish(const std::string& name) const {
  SparseMatrix matrix;
  matrix.rows = static_cast<uint32_t>(rows_.size());
  matrix.columns = columns_;
  matrix.row_start.push_back(0);
  for (auto row : rows_) {
    std::sort(row.begin(), row.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    for (size_t i = 0; i < row.size();) {
      uint32_t column = row[i].first;
      double value = 0;
      for (; i < row.size() && row[i].first == column; ++i) value += row[i].second;
      if (value == 0) continue;
      if (!is_bfloat16(value) || column >= columns_) {
        throw CircuitError(fmt::format("{}: weight {} is not a bfloat16 number", name, value));
      }
      matrix.column.push_back(column);
      matrix.value.push_back(static_cast<float>(value));
    }
    matrix.row_start.push_back(static_cast<uint32_t>(matrix.column.size()));
  }
  return matrix;
}

LayerTensors layer_tensors(const Layer& layer, const ModelShape& shape, const LayerScale& scale) {
  uint32_t width = shape.head_width();
  MatrixBuilder qkv(3 * width, shape.hidden_size), z(width, shape.hidden_size);
  MatrixBuilder a(shape.heads, shape.hidden_size), b(shape.heads, shape.hidden_size);
  MatrixBuilder out(shape.hidden_size, width), conv(3 * width, shape.conv_kernel);
  for (uint32_t i = 0; i < layer.heads.size(); ++i) {
    write_head(layer.heads[i], i, shape, scale, qkv, z, a, b, out);
  }
  for (uint32_t row = 0; row < 3 * width; ++row) conv.add(row, shape.conv_kernel - 1, 1);

  MatrixBuilder gate(shape.intermediate_size, shape.hidden_size);
  MatrixBuilder up(shape.intermediate_size, shape.hidden_size);
  MatrixBuilder down(shape.hidden_size, shape.intermediate_size);
  for (uint32_t i = 0; i < layer.units.size(); ++i) {
    const Unit& unit = layer.units[i];
    Rows(gate, scale).form(i, unit.gate, kGate);
    Rows(up, scale).form(i, unit.up, 1);
    for (const Output& output : unit.outputs) {
      down.add(output.signal.dim, i, output.amount * output.signal.scale / kGate);
    }
  }

  LayerTensors tensors;
  auto finish = [&](const MatrixBuilder& matrix, const char* name) {
    return matrix.finish(fmt::format("layer {}, {}", layer.name, name));
  };
  tensors.qkv = finish(qkv, "in_proj_qkv");
  tensors.z = finish(z, "in_proj_z");
  tensors.a = finish(a, "in_proj_a");
  tensors.b = finish(b, "in_proj_b");
  tensors.conv = finish(conv, "conv1d");
  tensors.out = finish(out, "out_proj");
  tensors.gate = finish(gate, "gate_proj");
  tensors.up = finish(up, "up_proj");
  tensors.down = finish(down, "down_proj");
  tensors.dt_bias.assign(shape.heads, -200);
  tensors.a_log.assign(shape.heads, 0);
  tensors.head_norm.assign(shape.head_dim, 1);
  tensors.input_norm.assign(shape.hidden_size, 0);
  tensors.post_norm.assign(shape.hidden_size, 0);
  return tensors;
}

}  // namespace warplock::weights
