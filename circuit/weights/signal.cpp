#include "circuit/weights/signal.h"

#include <algorithm>
#include <map>

namespace warplock::weights {

Signals concat(std::initializer_list<Signals> parts) {
  Signals all;
  for (const Signals& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Signals slice(const Signals& signals, size_t start, size_t count) {
  return Signals(signals.begin() + start, signals.begin() + start + count);
}

Form& Form::operator+=(const Form& other) {
  terms.insert(terms.end(), other.terms.begin(), other.terms.end());
  constant += other.constant;
  return *this;
}

Form& Form::operator*=(double factor) {
  for (Term& term : terms) term.coefficient *= factor;
  constant *= factor;
  return *this;
}

Form operator+(Form left, const Form& right) {
  return left += right;
}
Form operator-(Form left, const Form& right) {
  return left += -1.0 * right;
}
Form operator*(double factor, Form form) {
  return form *= factor;
}

Form sum(const Signals& signals) {
  Form form;
  for (const Signal& signal : signals) form += signal;
  return form;
}

Form number(const Signals& bits) {
  Form form;
  for (size_t i = 0; i < bits.size(); ++i) {
    form.terms.push_back({bits[i], static_cast<double>(uint64_t{1} << i)});
  }
  return form;
}

Range range_of(const Form& form) {
  Range range{form.constant, form.constant};
  std::map<uint16_t, double> by_dim;
  std::map<uint16_t, Signal> signal_of;
  for (const Term& term : form.terms) {
    by_dim[term.signal.dim] += term.coefficient;
    signal_of.emplace(term.signal.dim, term.signal);
  }
  std::map<uint16_t, Range> groups;
  for (const auto& [dim, coefficient] : by_dim) {
    const Signal& signal = signal_of.at(dim);
    double low = std::min(coefficient * signal.low, coefficient * signal.high);
    double high = std::max(coefficient * signal.low, coefficient * signal.high);
    if (signal.group == 0) {
      range.low += low;
      range.high += high;
      continue;
    }
    Range& group = groups[signal.group];
    group.low = std::min(group.low, low);
    group.high = std::max(group.high, high);
  }
  for (const auto& [id, group] : groups) {
    range.low += group.low;
    range.high += group.high;
  }
  return range;
}

Condition is(const Signal& signal) {
  return {signal, true};
}
Condition is_not(const Signal& signal) {
  return {signal, false};
}

Conditions spells(const Signals& bits, uint32_t value) {
  Conditions conditions;
  for (size_t i = 0; i < bits.size(); ++i) {
    conditions.push_back({bits[i], ((value >> i) & 1) != 0});
  }
  return conditions;
}

Conditions operator+(Conditions left, const Conditions& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Form all_of(const Conditions& conditions) {
  Form form(1.0);
  for (const Condition& condition : conditions) {
    form.terms.push_back({condition.signal, condition.wanted ? 1.0 : -1.0});
    if (condition.wanted) form.constant -= 1.0;
  }
  return form;
}

}  // namespace warplock::weights
