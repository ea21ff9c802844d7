#include <cstdint>
#include <memory>
#include <string>

#include "circuit/machine_exec.h"
#include "cli/command.h"
#include "executor/isolated.h"
#include "native_exec/native.h"
#include "reference_interp/reference.h"

namespace warplock::cli {

/// The other end of an isolated executor. Not for people: it speaks frames, not text.
void add_worker(CLI::App& app, int& status) {
  struct Options {
    std::string name;
    uint64_t schedule = 0;
    CLI::Option* permute = nullptr;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("worker", "Serve one executor on standard input and output");
  command->group("");  // hidden
  command->add_option("name", options->name)
      ->required()
      ->check(CLI::IsMember({"reference", "native", "machine"}));
  options->permute = command->add_option("--schedule", options->schedule);
  command->callback([options, &status] {
    std::unique_ptr<executor::Executor> executor;
    if (options->name == "reference") {
      reference_interp::Options reference;
      reference.permute_schedule = options->permute->count() > 0;
      reference.seed = options->schedule;
      executor = reference_interp::make_reference(reference);
    } else if (options->name == "machine") {
      executor = circuit::make_machine();
    } else {
      executor = native_exec::make_native();
    }
    status = executor::serve(*executor, 0, 1);
  });
}

}  // namespace warplock::cli
