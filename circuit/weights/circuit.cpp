#include "circuit/weights/circuit.h"

#include <cmath>

#include <fmt/format.h>

namespace warplock::weights {
namespace {

/// The coarsest power of two, at most 1, of which every number is a multiple; 0 when there is none
/// down to 2^-8.
double granularity(const Form& form) {
  for (double grain = 1; grain >= 1.0 / 256; grain /= 2) {
    bool fits = std::fmod(form.constant, grain) == 0;
    for (const Term& term : form.terms) fits = fits && std::fmod(term.coefficient, grain) == 0;
    if (fits) return grain;
  }
  return 0;
}

}  // namespace

Circuit::Circuit(const Limits& limits) : limits_(limits), owners_(limits.width) {
  owners_[0].used = owners_[1].used = true;
}

void Circuit::fail(const std::string& message) const {
  throw CircuitError(fmt::format("layer {} ({}): {}", layers_.empty() ? "-" : layers_.back().name,
                                 mechanism_, message));
}

Signals Circuit::allocate(size_t count, double low, double high, uint16_t group) {
  Signals signals;
  uint32_t usable = limits_.width - limits_.reserved_dimensions;
  for (uint32_t dim = 2; dim < usable && signals.size() < count; ++dim) {
    Owner& owner = owners_[dim];
    if (owner.used) continue;
    owner.used = true;
    owner.since = phase_;
    Signal signal;
    signal.dim = static_cast<uint16_t>(dim);
    signal.since = phase_;
    signal.low = low;
    signal.high = high;
    signal.group = group;
    signals.push_back(signal);
    high_water_ = std::max(high_water_, dim + 1);
    ++used_;
  }
  if (signals.size() < count) {
    fail(fmt::format("needs {} more dimensions, {} of {} are in use and {} stay reserved",
                     count - signals.size(), used_, limits_.width, limits_.reserved_dimensions));
  }
  return signals;
}

Signal Circuit::allocate_one(double low, double high, uint16_t group) {
  return allocate(1, low, high, group)[0];
}

void Circuit::release(const Signals& signals) {
  for (const Signal& signal : signals) {
    Owner& owner = owners_[signal.dim];
    if (!owner.used || owner.since != signal.since) {
      fail(fmt::format("dimension {} is released by who does not own it", signal.dim));
    }
    owner.used = false;
    owner.released = phase_;
    --used_;
  }
}

void Circuit::begin_layer(const std::string& name) {
  if (!layers_.empty()) used_by_layer_.push_back(used_);
  layers_.push_back({name, {}, {}, {}});
  phase_ = 2 * static_cast<int32_t>(layers_.size() - 1);
}

void Circuit::begin_units() {
  if (phase_ % 2 != 0) fail("the units of a layer begin once");
  ++phase_;
}

void Circuit::check_read(const Signal& signal) const {
  const Owner& owner = owners_.at(signal.dim);
  if (signal.since >= phase_) {
    fail(fmt::format("dimension {} is read in the phase that makes it", signal.dim));
  }
  if ((!owner.used || owner.since != signal.since) && owner.released != phase_) {
    fail(fmt::format("dimension {} is read after its release", signal.dim));
  }
}

void Circuit::check_reads(const Form& form) const {
  for (const Term& term : form.terms) check_read(term.signal);
}

void Circuit::check_write(const Signal& signal) const {
  const Owner& owner = owners_.at(signal.dim);
  if (signal.dim >= 2 && (!owner.used || owner.since != signal.since) && owner.released != phase_) {
    fail(fmt::format("dimension {} is written by who does not own it", signal.dim));
  }
}

/// bfloat16 has 8 significant bits: a form on a grid is exact up to 256 grid steps.
void Circuit::check_exact(const Form& form, const char* what) const {
  double grain = granularity(form);
  if (grain == 0) fail(fmt::format("{} is not on a grid of 2^-8", what));
  for (const Term& term : form.terms) {
    if (term.signal.noisy) return;  // only steps read these, and they round nothing away
  }
  double high = range_of(form).high;
  if (high > 256 * grain) {
    fail(fmt::format("{} reaches {}, exact is only up to {}", what, high, 256 * grain));
  }
}

void Circuit::add_head(Head head) {
  if (phase_ % 2 != 0) fail("heads come before the units of a layer");
  Layer& layer = layers_.back();
  if (layer.heads.size() >= limits_.heads) fail(fmt::format("more than {} heads", limits_.heads));
  if (head.values.size() > 126 || head.values.size() != head.outputs.size()) {
    fail(fmt::format("head {} has {} values and {} outputs", head.name, head.values.size(),
                     head.outputs.size()));
  }
  if (head.write.enables.empty() || !head.write.enables[0].wanted) {
    fail(fmt::format("head {} has no flag that opens it", head.name));
  }
  for (const Address* address : {&head.write, &head.read}) {
    if (address->bits.size() > 7) fail(fmt::format("head {} has more than 128 rows", head.name));
    for (const Signal& bit : address->bits) check_read(bit);
    for (const Condition& condition : address->enables) check_read(condition.signal);
  }
  for (const Form& value : head.values) check_reads(value);
  for (const Signal& flag : head.clear) check_read(flag);
  for (Signal& output : head.outputs) check_write(output);
  layer.heads.push_back(std::move(head));
}

void Circuit::add_unit(Form gate, Form up, Outputs outputs) {
  if (phase_ % 2 != 1) fail("units come after the heads of a layer");
  check_reads(gate);
  check_reads(up);
  check_exact(gate, "a gate");
  check_exact(up, "an up value");
  for (const Output& output : outputs) check_write(output.signal);
  Layer& layer = layers_.back();
  if (layer.units.size() >= limits_.units) fail(fmt::format("more than {} units", limits_.units));
  layer.units.push_back({std::move(gate), std::move(up), std::move(outputs)});
  ++layer.units_by_mechanism[mechanism_];
}

}  // namespace warplock::weights
