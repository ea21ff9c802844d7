#include "circuit/weights/gates.h"

#include <map>

namespace warplock::weights {

Form only_if(const Signals& flags, double strength) {
  return strength * (sum(flags) - 1.0);
}

std::vector<double> tabulate(int last, const std::function<double(int)>& function) {
  std::vector<double> values(last + 1);
  for (int s = 0; s <= last; ++s) values[s] = function(s);
  return values;
}

void thermometer(Circuit& circuit, const Form& s, int last, const std::vector<Table>& tables,
                 const Form& condition, const Form& up) {
  // f(s) = f(0) + sum over t >= 1 of (slope change at t) max(0, s - t + 1).
  std::map<int, Outputs> knots;
  Outputs constants;
  for (const Table& table : tables) {
    if (table.value[0] != 0) constants.push_back({table.signal, table.value[0]});
    double slope = 0;
    for (int t = 1; t <= last; ++t) {
      double next = table.value[t] - table.value[t - 1];
      if (next != slope) knots[t].push_back({table.signal, next - slope});
      slope = next;
    }
  }
  for (const auto& [t, outputs] : knots) {
    circuit.add_unit(s + condition + (1.0 - t), up, outputs);
  }
  if (!constants.empty()) circuit.add_unit(condition + 1.0, up, constants);
}

void step(Circuit& circuit, const Form& s, double threshold, const Outputs& outputs,
          const Form& condition) {
  Form gate = 2.0 * (s + condition);
  Outputs negative = outputs;
  for (Output& output : negative) output.amount = -output.amount;
  circuit.add_unit(gate + 2 * (0.75 - threshold), 1.0, outputs);
  circuit.add_unit(gate + 2 * (0.25 - threshold), 1.0, negative);
}

void gated_copy(Circuit& circuit, const Form& s, int threshold, const Form& up,
                const Signal& output, const Form& condition) {
  circuit.add_unit(s + condition + (1.0 - threshold), up, {{output, 1}});
  circuit.add_unit(s + condition - static_cast<double>(threshold), up, {{output, -1}});
}

void when(Circuit& circuit, const Conditions& conditions, const Outputs& outputs, const Form& up) {
  circuit.add_unit(all_of(conditions), up, outputs);
}

void clear(Circuit& circuit, const Signals& signals) {
  zero(circuit, signals);
  circuit.release(signals);
}

void zero(Circuit& circuit, const Signals& signals, const Form& gate) {
  for (const Signal& signal : signals) circuit.add_unit(gate, signal, {{signal, -1}});
}

}  // namespace warplock::weights
