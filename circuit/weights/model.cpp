#include "circuit/weights/model.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "circuit/weights/machine/rows.h"

namespace warplock::weights {
namespace {

/// All bfloat16 numbers from 2^-12 up to 2^-3.
std::vector<float> small_bfloat16() {
  std::vector<float> values;
  for (int exponent = -12; exponent < -3; ++exponent) {
    for (int mantissa = 0; mantissa < 128; ++mantissa) {
      values.push_back(std::ldexp(1.0f + static_cast<float>(mantissa) / 128, exponent));
    }
  }
  return values;
}

class RowWriter {
 public:
  RowWriter(const Machine& machine, const ModelShape& shape, MatrixBuilder& rows)
      : m_(machine), kinds_(machine), trim_(row_trim(shape)), rows_(rows) {}

  void write(uint32_t row, const Token& token) const {
    std::map<uint16_t, bool> entries = {{m_.token.one.dim, true}};
    auto put = [&](const Signals& bits, uint32_t value) {
      for (size_t i = 0; i < bits.size(); ++i) entries[bits[i].dim] = ((value >> i) & 1) != 0;
    };
    const RowKind& kind = kind_of(token);
    for (const Signal& flag : kind.flags) entries[flag.dim] = true;
    for (const Signal& field : kind.fields) entries[field.dim] = false;
    fill(token, put);
    if (entries.size() > kRowEntries) {
      throw CircuitError(fmt::format("{} needs {} entries", text_of(token), entries.size()));
    }
    for (const Signal& pad : m_.token.pads) {
      if (entries.size() == kRowEntries) break;
      entries[pad.dim] = true;
    }
    rows_.add(row, 0, trim_.first);
    rows_.add(row, 1, trim_.second);
    rows_.add(row, m_.token.trim.dim, trim_.third);
    for (const auto& [dim, set] : entries) {
      rows_.add(row, dim, set ? kRowAmplitude : -kRowAmplitude);
    }
  }

 private:
  const RowKind& kind_of(const Token& token) const {
    using K = Token::Kind;
    switch (token.kind) {
      case K::kExec:
        return kinds_.exec;
      case K::kRegisterHeader:
        return kinds_.register_header;
      case K::kMemoryHeader:
        return kinds_.memory_header;
      case K::kDataPiece:
      case K::kRowPiece:
        return kinds_.piece;
      case K::kCta:
        return kinds_.cta;
      case K::kCtaRow:
        return kinds_.cta_row;
      case K::kHalt:
        return kinds_.halt;
      case K::kConfig:
        return kinds_.config;
      case K::kGridX:
        return kinds_.grid_x;
      case K::kGridY:
        return kinds_.grid_y;
      case K::kRomHeader:
        return kinds_.rom_header;
      case K::kReset:
        return kinds_.reset;
    }
    return kinds_.reset;
  }

  template <typename Put>
  void fill(const Token& token, const Put& put) const {
    using K = Token::Kind;
    const TokenFields& t = m_.token;
    uint32_t register_bits = m_.sizes.register_bits;
    switch (token.kind) {
      case K::kExec:
        put(t.block, token.block);
        put(t.warp, token.warp);
        put(t.mask, token.mask);
        put({t.release}, token.flag);
        break;
      case K::kRegisterHeader:
        put(kinds_.register_header.fields,
            token.index | token.warp << register_bits |
                token.mask << (register_bits + m_.sizes.warp_bits) |
                token.slot << (register_bits + m_.sizes.warp_bits + kLanes));
        break;
      case K::kMemoryHeader:
        put(t.mask, token.mask);
        put(t.slot, token.slot);
        break;
      case K::kDataPiece:
      case K::kRowPiece: {
        uint32_t chunk = token.chunk + (token.kind == K::kRowPiece ? kDataBytes : 0);
        put(t.chunk, chunk);
        put({t.last}, token.flag);
        put(TokenKinds::chunk_value(m_, chunk), token.value);
        break;
      }
      case K::kConfig:
        put(t.warp, token.warp);
        put(t.mask, token.mask);
        put({t.release}, 1);
        break;
      case K::kRomHeader:
        put(slice(t.address[0], 0, m_.sizes.block_bits), token.block);
        put(t.slot, token.slot);
        break;
      case K::kCta:
      case K::kCtaRow:
      case K::kGridX:
      case K::kGridY:
        put(kind_of(token).fields, token.index);
        break;
      case K::kHalt:
      case K::kReset:
        break;
    }
  }

  const Machine& m_;
  TokenKinds kinds_;
  RowTrim trim_;
  MatrixBuilder& rows_;
};

}  // namespace

RowTrim row_trim(const ModelShape& shape) {
  double target = shape.hidden_size * std::ldexp(1.0, -14);
  double epsilon = static_cast<double>(static_cast<float>(shape.rms_norm_eps));
  double wanted =
      target - shape.hidden_size * epsilon - kRowEntries * kRowAmplitude * kRowAmplitude;
  std::vector<float> candidates = small_bfloat16();
  RowTrim best{};
  double best_left = wanted;
  for (float first : candidates) {
    for (float second : candidates) {
      double left =
          wanted - static_cast<double>(first) * first - static_cast<double>(second) * second;
      if (left < 0 || left >= best_left) continue;
      best_left = left;
      best = {first, second, round_to_bfloat16(static_cast<float>(std::sqrt(left)))};
    }
  }
  double sum = static_cast<double>(best.first) * best.first +
               static_cast<double>(best.second) * best.second +
               static_cast<double>(best.third) * best.third;
  if (std::abs(sum - wanted) > target * 0x1p-26) {
    throw CircuitError(fmt::format("no row norm fits rms_norm_eps = {}", shape.rms_norm_eps));
  }
  return best;
}

SparseMatrix token_rows(const Machine& machine, const Vocabulary& vocabulary,
                        const ModelShape& shape) {
  MatrixBuilder rows(vocabulary.size(), shape.hidden_size);
  RowWriter writer(machine, shape, rows);
  for (uint32_t i = 0; i < vocabulary.size(); ++i) {
    writer.write(i, vocabulary.token(vocabulary.first_id() + i));
  }
  return rows.finish("embed_tokens");
}

ModelTensors machine_tensors(const Machine& machine) {
  Vocabulary vocabulary(machine.spec);
  ModelTensors model;
  model.shape.layers = static_cast<uint32_t>(machine.circuit.layers().size());
  model.shape.vocabulary = vocabulary.size();
  for (const Layer& layer : machine.circuit.layers()) {
    bool first = model.layers.empty();
    LayerScale scale{first ? 0x1p7 : 0x1p-19, first, machine.token.one.dim};
    model.layers.push_back(layer_tensors(layer, model.shape, scale));
  }
  model.embedding = token_rows(machine, vocabulary, model.shape);
  model.final_norm.assign(model.shape.hidden_size, 0);
  return model;
}

std::string budget(const Machine& machine) {
  const Circuit& circuit = machine.circuit;
  std::string text = "layer         heads  units  dimensions\n";
  size_t heads = 0, units = 0;
  for (size_t i = 0; i < circuit.layers().size(); ++i) {
    const Layer& layer = circuit.layers()[i];
    bool known = i < circuit.used_by_layer().size();
    text +=
        fmt::format("{:<13} {:>5} {:>6} {:>11}", layer.name, layer.heads.size(), layer.units.size(),
                    known ? fmt::to_string(circuit.used_by_layer()[i]) : "");
    for (const auto& [name, count] : layer.units_by_mechanism) {
      text += fmt::format("  {} {}", name, count);
    }
    text += '\n';
    heads += layer.heads.size();
    units += layer.units.size();
  }
  text += fmt::format("{} layers, {} heads, {} units, {} of {} dimensions, {} free\n",
                      circuit.layers().size(), heads, units, circuit.dimensions(),
                      circuit.limits().width, circuit.limits().width - circuit.dimensions());
  return text;
}

}  // namespace warplock::weights
