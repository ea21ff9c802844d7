#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/executors.h"
#include "ptx/from_cuda.h"

namespace warplock::cli {
namespace {

struct Row {
  std::string kind, name, about, missing;
};

std::vector<Row> rows() {
  std::vector<Row> out;
  for (const KnownExecutor& e : known_executors()) {
    out.push_back({"executor", e.name, e.about, e.missing});
  }
  auto compiler = [&](const char* name, ptx::CudaCompiler which) {
    out.push_back({"compiler", name, ptx::version_of(which), ptx::why_missing(which)});
  };
  compiler("clang", ptx::CudaCompiler::kClang);
  compiler("nvrtc", ptx::CudaCompiler::kNvrtc);
  return out;
}

}  // namespace

void add_devices(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("devices", "Which executors this machine has, and why one is missing");
  command->add_flag("--json", *json, "Machine-readable output");
  command->callback([json, &status] {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Row& row : rows()) {
      bool available = row.missing.empty();
      if (*json) {
        list.push_back({{"kind", row.kind},
                        {"name", row.name},
                        {"available", available},
                        {"about", row.about},
                        {"reason", available ? nullptr : nlohmann::ordered_json(row.missing)}});
      } else {
        fmt::print("{:<10}{:<12}{:<11}{}\n", row.kind, row.name,
                   available ? "available" : "missing", available ? row.about : row.missing);
      }
    }
    if (*json)
      fmt::print("{}\n", nlohmann::ordered_json({{"schema", 1}, {"devices", list}}).dump(1));
    status = kOk;
  });
}

}  // namespace warplock::cli
