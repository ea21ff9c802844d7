#pragma once

#include <memory>
#include <string>
#include <vector>

#include "circuit/isa.h"
#include "circuit/weights/model.h"
#include "model_exec/sparse_model.h"

/// For tests: a machine in memory, and runs of it against the emulator.
namespace warplock::model_exec {

struct BuiltMachine {
  std::unique_ptr<weights::Machine> machine;
  std::shared_ptr<const weights::ModelTensors> tensors;
  weights::Vocabulary vocabulary;
};
BuiltMachine build(const circuit::MachineSpec& spec);
/// The default one, built once.
const BuiltMachine& default_machine();

/// Runs the program on the layers, every token against the emulator, for up to `max_tokens` tokens.
/// Empty, or what differs. `tokens` grows by the tokens compared; `memory` is the emulator's.
std::string compare_run(SparseModel& model, const weights::Vocabulary& vocabulary,
                        const circuit::MachineProgram& program, size_t max_tokens,
                        size_t* tokens = nullptr, std::vector<uint32_t>* memory = nullptr);

}  // namespace warplock::model_exec
