#pragma once

#include <string>

#include "circuit/weights/tensors.h"
#include "circuit/weights/token.h"

/// A checkpoint on disk: the standard folder that any Qwen3.5 implementation reads (config.json,
/// model.safetensors, tokenizer files), and warplock.json, which says what the machine is and holds
/// a digest of every tensor. See docs/model.md.
namespace warplock::weights {

constexpr uint32_t kCheckpointFormat = 1;

struct Checkpoint {
  circuit::MachineSpec spec;
  uint32_t first_id = 0;  ///< the machine's first id
  ModelTensors tensors;
};

/// Writes the folder, which must not exist or be empty. Zeros become holes: the file is as long as
/// a dense one and takes a third of the space. Throws diagnostics::InputError (class "checkpoint")
/// when the folder cannot be written.
void write_checkpoint(const std::string& folder, Checkpoint& checkpoint);

/// Reads and checks everything. Throws diagnostics::InputError (class "checkpoint") for anything
/// that is not a checkpoint this version understands: a missing or truncated file, another
/// architecture, wrong names, shapes or types, offsets that overlap or leave gaps, NaN or infinity,
/// a tensor that is not what the manifest says.
Checkpoint read_checkpoint(const std::string& folder);

}  // namespace warplock::weights
