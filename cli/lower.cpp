#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "circuit/isa_json.h"
#include "circuit/lowering.h"
#include "circuit/print.h"
#include "cli/command.h"
#include "ptx/parse.h"

namespace warplock::cli {
namespace {

struct Options {
  std::string file, machine, launch, out;
};

/// Where no launch is given: one warp, every pointer to a buffer of its own, and scalars in memory.
executor::Launch default_launch(const ptx::Module& module) {
  constexpr size_t kBufferWords = 16;
  executor::Launch launch;
  launch.warp_width = 4;
  launch.block = {4, 1, 1};
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    if (!launch.entry.empty()) {
      throw Usage(
          fmt::format("there are several kernels, '{}' and '{}' among them: say by --launch which",
                      launch.entry, function.name));
    }
    launch.entry = function.name;
    for (const ptx::Parameter& parameter : function.parameters) {
      executor::Argument argument;
      argument.name = parameter.name;
      argument.is_buffer = ptx::bits(parameter.type) == 64;
      if (argument.is_buffer) argument.words.resize(kBufferWords);
      argument.scalar_bytes = static_cast<uint8_t>(parameter.size);
      launch.arguments.push_back(std::move(argument));
    }
  }
  if (launch.entry.empty()) throw Usage("there is no kernel");
  return launch;
}

int lower(const Options& options) {
  const auto module = ptx::parse(diagnostics::read_source(options.file));
  circuit::MachineSpec spec;
  if (!options.machine.empty()) {
    spec = circuit::parse_spec(diagnostics::read_source(options.machine));
  }
  circuit::LoweringOptions lowering;
  lowering.scalars_in_memory = options.launch.empty();
  const executor::Launch launch =
      options.launch.empty() ? default_launch(*module)
                             : executor::parse_launch(diagnostics::read_source(options.launch));
  const circuit::LoweringResult result = circuit::lower(module, launch, spec, lowering);
  if (const auto* unfit = std::get_if<circuit::DoesNotFit>(&result)) {
    throw Unavailable(
        fmt::format("'{}' does not fit the machine: {}", launch.entry, unfit->reason));
  }
  const auto& lowered = std::get<circuit::Lowered>(result);
  if (!options.out.empty()) {
    std::ofstream out(options.out, std::ios::binary);
    out << circuit::to_json(lowered.program);
    out.close();
    if (!out) throw std::runtime_error(fmt::format("{} cannot be written", options.out));
  }
  const std::string text = circuit::to_text(lowered, *module);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

}  // namespace

void add_lower(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("lower", "PTX to the blocks of the machine");
  command->add_option("FILE.ptx", options->file, "The kernel")->required();
  command->add_option("--machine", options->machine, "The machine, if not the one that ships")
      ->type_name("SPEC.json");
  command
      ->add_option("--launch", options->launch,
                   "The launch to lower for; without it, one warp and buffers of 16 words")
      ->type_name("LAUNCH.json");
  command->add_option("-o", options->out, "Where the blocks go as JSON")->type_name("BLOCKS.json");
  command->callback([options, &status] { status = lower(*options); });
}

}  // namespace warplock::cli
