#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/compiler_option.h"
#include "ptx/parse.h"

namespace warplock::cli {

void add_compile(CLI::App& app, int& status) {
  struct Options {
    std::string file, out;
    CompilerOption compiler;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "CUDA C to PTX");
  command->add_option("FILE.cu", options->file, "The kernel")->required();
  command->add_option("-o", options->out, "Where the PTX goes (standard output by default)")
      ->type_name("OUT.ptx");
  options->compiler.add_to(*command);
  command->callback([options, &status] {
    diagnostics::read_source(options->file);
    std::string ptx = ptx::compile_cuda(options->file, options->compiler.get());
    if (options->out.empty()) {
      std::fwrite(ptx.data(), 1, ptx.size(), stdout);
    } else {
      std::ofstream out(options->out, std::ios::binary);
      out << ptx;
      out.close();
      if (!out) throw std::runtime_error(fmt::format("{} cannot be written", options->out));
    }
    status = kOk;
    // What the other calls would refuse is said here already, after the text has been delivered.
    std::string name = options->out.empty() ? "<output>" : options->out;
    ptx::parse(std::make_shared<diagnostics::SourceText>(name, ptx));
  });
}

}  // namespace warplock::cli
