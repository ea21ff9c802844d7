#include "model_exec/run_check.h"

#include <fmt/format.h>

#include "circuit/emulator.h"
#include "circuit/weights/protocol.h"

namespace warplock::model_exec {

BuiltMachine build(const circuit::MachineSpec& spec) {
  std::unique_ptr<weights::Machine> machine = weights::build_machine(spec);
  auto tensors = std::make_shared<weights::ModelTensors>(weights::machine_tensors(*machine));
  return {std::move(machine), std::move(tensors), weights::Vocabulary(spec)};
}

const BuiltMachine& default_machine() {
  static const BuiltMachine built = build({});
  return built;
}

std::string compare_run(SparseModel& model, const weights::Vocabulary& vocabulary,
                        const circuit::MachineProgram& program, size_t max_tokens, size_t* tokens,
                        std::vector<uint32_t>* memory) {
  model.reset();
  for (const weights::Token& token : weights::prompt_of(program)) {
    model.append(vocabulary.id(token));
  }
  circuit::Emulator emulator(program);
  size_t count = 0;
  while (count < max_tokens) {
    circuit::Step step = emulator.next();
    for (const weights::Token& wanted : weights::tokens_of(step)) {
      Choice choice = model.choose(vocabulary.first_id(), vocabulary.size());
      if (choice.id != vocabulary.id(wanted)) {
        return fmt::format("token {}: {} instead of {}", count, vocabulary.text(choice.id),
                           weights::text_of(wanted));
      }
      model.append(choice.id);
      ++count;
    }
    if (step.kind == circuit::Step::Kind::kHalt) break;
  }
  if (tokens) *tokens += count;
  if (memory) *memory = emulator.memory();
  return "";
}

}  // namespace warplock::model_exec
