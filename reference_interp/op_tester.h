#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Runs one instruction on many operand values and compares with a formula.
namespace warplock::reference_interp::testing {

/// An instruction under test.
struct OpTest {
  /// With {d} for the destination and {a}, {b}, {c}, {e} for the sources, each a register of its
  /// class: "add.u32 {d}, {a}, {b};". May be several instructions.
  std::string text;
  int result_bits = 32;
  std::vector<int> source_bits;
  /// The result, of operands that are zero-extended bit patterns; cut to result_bits.
  std::function<uint64_t(const std::vector<uint64_t>&)> formula;
};

/// Tests it at both widths on all combinations of corner values (drawn from them when there are too
/// many) and on random ones, in full and in partial warps, and with the destination register also
/// being a source.
void check_op(const OpTest& test);

}  // namespace warplock::reference_interp::testing
