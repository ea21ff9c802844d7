#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "circuit/weights/signal.h"

/// What a set of layers computes, before it becomes tensors.
namespace warplock::weights {

/// A specification asks for more than the layers hold, or a mechanism breaks the rules of the
/// language (an inexact value, a stale signal). The message names layer and mechanism.
struct CircuitError : std::logic_error {
  using std::logic_error::logic_error;
};

/// Adds `amount` (in the signal's own units) times the unit's activation.
struct Output {
  Signal signal;
  double amount = 1;
};
using Outputs = std::vector<Output>;

/// One MLP unit: outputs += silu(K gate) up / K, K = 256.
struct Unit {
  Form gate, up;
  Outputs outputs;
};

/// Which state row a token addresses: the one that `bits` spell, if all `enables` hold.
struct Address {
  Signals bits;
  Conditions enables;
};

/// One state head used as a memory: rows of values that tokens write and read by address.
struct Head {
  std::string name;
  Address write;  ///< the first enable must be a wanted flag: it opens beta as well
  Address read;
  bool read_all = false;     ///< reads the sum over rows 0..31 instead, 8 / (rows written) times
  uint32_t rows = 128;       ///< rows from `rows` on are neither written nor read
  uint32_t idle_row = 127;   ///< never written; read beside the wanted one (docs/circuits.md)
  std::vector<Form> values;  ///< at most 126, of bits
  Signals outputs;           ///< one a value
  Signals clear;             ///< flags that zero the whole head
};

struct Layer {
  std::string name;
  std::vector<Head> heads;
  std::vector<Unit> units;
  std::map<std::string, size_t> units_by_mechanism;
};

/// Limits of the model that carries the circuit.
struct Limits {
  uint32_t width = 2048, units = 6144, heads = 16, reserved_dimensions = 400;
};

/// Layers under construction: checks every unit and head as it is added, and hands out dimensions.
/// A layer is built in two phases, first the heads (even phase), then the units (odd phase).
class Circuit {
 public:
  explicit Circuit(const Limits& limits = {});

  /// Dimensions 0 and 1 are the anchors; these come from 2 on, the lowest free ones first.
  Signals allocate(size_t count, double low = 0, double high = 1, uint16_t group = 0);
  Signal allocate_one(double low = 0, double high = 1, uint16_t group = 0);
  /// The dimensions are zero after this phase and may be handed out again, in this phase already
  /// when it is one of units.
  void release(const Signals& signals);
  uint16_t new_group() { return ++groups_; }

  void begin_layer(const std::string& name);
  void begin_units();
  /// Units added from here on are counted under this name.
  void mechanism(const std::string& name) { mechanism_ = name; }

  void add_head(Head head);
  void add_unit(Form gate, Form up, Outputs outputs);

  const std::vector<Layer>& layers() const { return layers_; }
  const Limits& limits() const { return limits_; }
  int32_t phase() const { return phase_; }
  /// Dimensions that were ever used, anchors included.
  uint32_t dimensions() const { return high_water_; }
  /// Dimensions in use at the end of each layer.
  const std::vector<uint32_t>& used_by_layer() const { return used_by_layer_; }

 private:
  struct Owner {
    int32_t since = -2;
    int32_t released = -1;
    bool used = false;
  };
  [[noreturn]] void fail(const std::string& message) const;
  void check_read(const Signal& signal) const;
  void check_reads(const Form& form) const;
  void check_write(const Signal& signal) const;
  void check_exact(const Form& form, const char* what) const;

  Limits limits_;
  std::vector<Owner> owners_;
  std::vector<Layer> layers_;
  std::vector<uint32_t> used_by_layer_;
  std::string mechanism_ = "other";
  int32_t phase_ = -1;
  uint32_t high_water_ = 2, used_ = 2;
  uint16_t groups_ = 0;
};

}  // namespace warplock::weights
