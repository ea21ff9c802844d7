#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <unistd.h>

#include "cli/command.h"
#include "cli/version.h"
#include "diagnostics/diagnostic.h"

namespace warplock::cli {

bool use_color(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  return !(no_color && *no_color) && isatty(fd);
}

namespace {

int run(int argc, char** argv) {
  CLI::App app{
      "Differential testing of SIMT machines: the same kernels on several executors,\n"
      "traces compared event by event."};
  app.name("warplock");
  app.require_subcommand(1);
  app.set_version_flag("--version", long_version);
  app.footer(
      "Exit status: 0 all agreed, 1 a divergence, 2 wrong usage, 3 bad input,\n"
      "4 an executor is not available, 5 the tool failed (a crash, a timeout).");
  int status = kOk;
  add_suite(app, status);
  add_run(app, status);
  add_compile(app, status);
  add_lower(app, status);
  add_diff(app, status);
  add_devices(app, status);
  add_model(app, status);
  add_replay(app, status);
  add_worker(app, status);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  } catch (const Usage& error) {
    std::fprintf(stderr, "warplock: %s\n", error.what());
    return kUsage;
  } catch (const diagnostics::InputError& error) {
    std::fputs(diagnostics::render(error.diagnostics()).c_str(), stderr);
    return kBadInput;
  } catch (const Unavailable& error) {
    std::fprintf(stderr, "warplock: %s\n", error.what());
    return kUnavailable;
  } catch (const std::bad_alloc&) {
    std::fputs("warplock: out of memory\n", stderr);
    return kToolFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warplock: %s\n", error.what());
    return kToolFailed;
  }
}

}  // namespace
}  // namespace warplock::cli

int main(int argc, char** argv) {
  // A reader that goes away (head, a closed pipe to a worker) is an error to handle, not a death.
  std::signal(SIGPIPE, SIG_IGN);
  return warplock::cli::run(argc, argv);
}
