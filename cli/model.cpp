#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "circuit/weights/checkpoint/checkpoint.h"
#include "circuit/weights/machine_file.h"
#include "circuit/weights/model.h"
#include "cli/command.h"

namespace warplock::cli {
namespace {

struct BuildOptions {
  std::string machine, base, out;
  bool json = false;
};

void build(const BuildOptions& options) {
  if (!options.base.empty()) {
    throw Unavailable(
        "--base: this version writes the machine alone, not merged into a base model");
  }
  weights::Checkpoint checkpoint;
  if (!options.machine.empty()) {
    checkpoint.spec = weights::read_machine(diagnostics::read_source(options.machine));
  }
  std::unique_ptr<weights::Machine> machine;
  try {
    machine = weights::build_machine(checkpoint.spec);
  } catch (const weights::CircuitError& error) {
    diagnostics::Diagnostic diagnostic;
    diagnostic.klass = "machine";
    diagnostic.message = error.what();
    diagnostic.file = options.machine;
    throw diagnostics::InputError(diagnostic);
  }
  checkpoint.tensors = weights::machine_tensors(*machine);
  weights::write_checkpoint(options.out, checkpoint);
  const weights::ModelShape& shape = checkpoint.tensors.shape;
  if (options.json) {
    nlohmann::ordered_json report;
    report["schema"] = 1;
    report["command"] = "model build";
    report["machine"] = weights::machine_json(checkpoint.spec);
    report["layers"] = shape.layers;
    report["dimensions"] = machine->circuit.dimensions();
    report["vocabulary"] = shape.vocabulary;
    report["out"] = options.out;
    fmt::print("{}\n", report.dump(2));
    return;
  }
  fmt::print("{}{} ids\n{}\n", weights::budget(*machine), shape.vocabulary, options.out);
}

}  // namespace

void add_model(CLI::App& app, int& status) {
  auto options = std::make_shared<BuildOptions>();
  CLI::App* model = app.add_subcommand("model", "The machine in the weights of a language model");
  model->require_subcommand(1);
  CLI::App* command = model->add_subcommand("build", "Writes the checkpoint");
  command->add_option("--machine", options->machine, "The machine (the default one if left out)")
      ->type_name("SPEC.json");
  command->add_option("--base", options->base, "A model to merge the machine into")
      ->type_name("DIR");
  command->add_option("--out", options->out, "A new or empty folder")->required()->type_name("DIR");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->callback([options, &status] {
    build(*options);
    status = kOk;
  });
}

}  // namespace warplock::cli
