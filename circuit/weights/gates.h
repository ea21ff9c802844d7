#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "circuit/weights/circuit.h"

/// Gate families. Every one is exact in bfloat16 and float32 as long as its inputs are what their
/// ranges say (docs/circuits.md derives the formulas).
namespace warplock::weights {

/// 0 while one of `flags` (which exclude each other) is set, at most -strength otherwise.
Form only_if(const Signals& flags, double strength);

/// A function of an integer 0..N, added to a signal.
struct Table {
  Signal signal;
  std::vector<double> value;  ///< N + 1 of them
};
std::vector<double> tabulate(int last, const std::function<double(int)>& function);

/// Adds every table's value at `s`, an integer in 0..last, times `up`. `condition` is added to the
/// gate: 0, or so low that no unit opens (below -last - 1).
void thermometer(Circuit& circuit, const Form& s, int last, const std::vector<Table>& tables,
                 const Form& condition = {}, const Form& up = 1.0);

/// Outputs += [s >= threshold] for a value within 0.07 of an integer, or any value at least that
/// far from threshold - 0.5: what a state gives back. `condition` as above, at least the range of
/// s below 0 where it does not hold.
void step(Circuit& circuit, const Form& s, double threshold, const Outputs& outputs,
          const Form& condition = {});

/// output += [s >= threshold] up, for an integer s: two units.
void gated_copy(Circuit& circuit, const Form& s, int threshold, const Form& up,
                const Signal& output, const Form& condition = {});

/// Outputs += up where all conditions on bits hold: one unit.
void when(Circuit& circuit, const Conditions& conditions, const Outputs& outputs,
          const Form& up = 1.0);

/// Zeroes the signals and releases them: one unit each.
void clear(Circuit& circuit, const Signals& signals);
/// Zeroes them where `gate` (0 or 1) is on, and keeps them.
void zero(Circuit& circuit, const Signals& signals, const Form& gate = 1.0);

}  // namespace warplock::weights
