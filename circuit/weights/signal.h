#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The language in which the machine is written: signals (residual dimensions with a value range),
/// linear forms over them, and conditions. See docs/circuits.md.
namespace warplock::weights {

/// One residual dimension as one mechanism sees it. A value, cheap to copy; several views of one
/// dimension may differ in range and scale.
struct Signal {
  uint16_t dim = 0;
  int32_t since = -1;  ///< phase in which it was allocated (Circuit::phase)
  double low = 0, high = 1;
  double scale = 1;    ///< what the residual holds when the signal is 1
  uint16_t group = 0;  ///< at most one signal of a group other than 0 is not zero
  bool noisy = false;  ///< read from a state: near an integer or a fraction, not exact

  /// The same dimension with another range, for mechanisms that exclude each other.
  Signal view(double new_low, double new_high) const {
    Signal copy = *this;
    copy.low = new_low;
    copy.high = new_high;
    return copy;
  }
  /// The same dimension, written or read with 1 stored as `new_scale`.
  Signal scaled(double new_scale) const {
    Signal copy = *this;
    copy.scale = new_scale;
    return copy;
  }
};
using Signals = std::vector<Signal>;

/// `first` followed by `second`, and so on.
Signals concat(std::initializer_list<Signals> parts);
/// `count` signals from `start` on.
Signals slice(const Signals& signals, size_t start, size_t count);

struct Term {
  Signal signal;
  double coefficient;
};

/// constant + sum of coefficient x signal.
struct Form {
  std::vector<Term> terms;
  double constant = 0;

  Form() = default;
  Form(double value) : constant(value) {}                            // NOLINT: a number is a form
  Form(const Signal& signal) : terms{{signal, 1.0}}, constant(0) {}  // NOLINT: so is a signal

  Form& operator+=(const Form& other);
  Form& operator*=(double factor);
};
Form operator+(Form left, const Form& right);
Form operator-(Form left, const Form& right);
Form operator*(double factor, Form form);

/// Sum of all, and the number whose bits they are, the lowest first.
Form sum(const Signals& signals);
Form number(const Signals& bits);

/// Least and greatest value over the signals' ranges and groups.
struct Range {
  double low = 0, high = 0;
};
Range range_of(const Form& form);

/// A bit that must have a value.
struct Condition {
  Signal signal;
  bool wanted = true;
};
using Conditions = std::vector<Condition>;
Condition is(const Signal& signal);
Condition is_not(const Signal& signal);
/// The bits spell `value`, the lowest bit first.
Conditions spells(const Signals& bits, uint32_t value);
Conditions operator+(Conditions left, const Conditions& right);
/// A form over bits that is 1 when every condition holds and at most 0 otherwise.
Form all_of(const Conditions& conditions);

}  // namespace warplock::weights
