#pragma once

#include <string>
#include <vector>

#include "circuit/weights/machine/machine.h"
#include "circuit/weights/tensors.h"
#include "circuit/weights/token.h"

/// The machine as a whole model: layers, rows of the vocabulary, tied head.
namespace warplock::weights {

/// The two anchor entries and the third small one of every row: with kRowEntries entries of
/// +-kRowAmplitude they make mean(x^2) + eps exactly 2^-14, so that the first norm is times 2^7.
struct RowTrim {
  float first, second, third;
};
RowTrim row_trim(const ModelShape& shape);

/// Rows of all tokens, in the order of their ids (from 0).
SparseMatrix token_rows(const Machine& machine, const Vocabulary& vocabulary,
                        const ModelShape& shape);

/// Everything, with the vocabulary's ids starting at 0.
ModelTensors machine_tensors(const Machine& machine);

/// What each layer takes: one line a layer, then the totals.
std::string budget(const Machine& machine);

}  // namespace warplock::weights
