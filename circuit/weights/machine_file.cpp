#include "circuit/weights/machine_file.h"

#include <stdexcept>
#include <utility>

#include "executor/located_json.h"

namespace warplock::weights {

nlohmann::ordered_json machine_json(const circuit::MachineSpec& spec) {
  return {{"lanes", spec.lanes},           {"warps", spec.warps},
          {"registers", spec.registers},   {"blocks", spec.blocks},
          {"slots", spec.slots},           {"memory_rows", spec.memory_rows},
          {"max_ctas_x", spec.max_ctas_x}, {"max_ctas_y", spec.max_ctas_y}};
}

circuit::MachineSpec read_machine(std::shared_ptr<const diagnostics::SourceText> source,
                                  const std::string& klass) {
  executor::JsonDocument document(std::move(source), klass);
  circuit::MachineSpec spec;
  const std::pair<const char*, uint32_t*> members[] = {
      {"lanes", &spec.lanes},           {"warps", &spec.warps},
      {"registers", &spec.registers},   {"blocks", &spec.blocks},
      {"slots", &spec.slots},           {"memory_rows", &spec.memory_rows},
      {"max_ctas_x", &spec.max_ctas_x}, {"max_ctas_y", &spec.max_ctas_y}};
  auto given =
      document.root().members("a machine", {"lanes", "warps", "registers", "blocks", "slots",
                                            "memory_rows", "max_ctas_x", "max_ctas_y"});
  for (const auto& [key, value] : given) {
    std::string name = key.string("a key");
    for (const auto& [known, number] : members) {
      if (name == known) {
        *number = static_cast<uint32_t>(value.integer(0, 0xffffffff, "\"" + name + "\""));
      }
    }
  }
  try {
    circuit::validate(spec);
  } catch (const std::invalid_argument& error) {
    throw document.root().error(error.what());
  }
  return spec;
}

}  // namespace warplock::weights
