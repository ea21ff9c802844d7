#include "reference_interp/launch_check.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace warplock::reference_interp {
namespace {

[[noreturn]] void refuse(const executor::Launch& launch, std::string klass, std::string message) {
  if (launch.source != nullptr) {
    throw diagnostics::InputError(diagnostics::error_at(*launch.source, launch.entry_position,
                                                        std::move(klass), std::move(message)));
  }
  diagnostics::Diagnostic diagnostic;
  diagnostic.klass = std::move(klass);
  diagnostic.message = std::move(message);
  diagnostic.file = "launch";
  throw diagnostics::InputError(std::move(diagnostic));
}

std::string known_entries(const ptx::Module& module) {
  std::string names;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    if (!names.empty()) names += ", ";
    names += function.name;
  }
  return names.empty() ? "the module has no entry" : fmt::format("the module has {}", names);
}

void check_arguments(const ptx::Function& entry, const executor::Launch& launch) {
  if (launch.arguments.size() != entry.parameters.size()) {
    refuse(launch, "argument mismatch",
           fmt::format("{} has {} parameters, the launch gives {} arguments", entry.name,
                       entry.parameters.size(), launch.arguments.size()));
  }
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ptx::Parameter& parameter = entry.parameters[i];
    const executor::Argument& argument = launch.arguments[i];
    const uint32_t size = argument.is_buffer ? 8 : argument.scalar_bytes;
    if (size != parameter.size) {
      refuse(launch, "argument mismatch",
             fmt::format("argument '{}' has {} bytes{}, parameter {} of {} has {}", argument.name,
                         size, argument.is_buffer ? " (an address)" : "", parameter.name,
                         entry.name, parameter.size));
    }
  }
}

/// .maxntid limits the number of threads, .reqntid fixes the block (PTX ISA 11.4.2 and 11.4.4).
void check_block(const ptx::Function& entry, const executor::Launch& launch) {
  const auto& b = launch.block;
  const auto threads_of = [](const std::array<uint32_t, 3>& n) {
    uint64_t threads = 1;
    for (uint32_t extent : n) threads *= extent == 0 ? 1 : extent;
    return threads;
  };
  if (entry.max_ntid[0] != 0 && launch.threads_per_cta() > threads_of(entry.max_ntid)) {
    refuse(launch, "block size",
           fmt::format("a block of {} threads, but .maxntid of {} allows {}",
                       launch.threads_per_cta(), entry.name, threads_of(entry.max_ntid)));
  }
  if (entry.req_ntid[0] == 0) return;
  std::array<uint32_t, 3> required = entry.req_ntid;
  for (uint32_t& extent : required) extent = extent == 0 ? 1 : extent;
  if (b != required) {
    refuse(launch, "block size",
           fmt::format("a block of {} x {} x {} threads, but .reqntid of {} wants {} x {} x {}",
                       b[0], b[1], b[2], entry.name, required[0], required[1], required[2]));
  }
}

void check_geometry(const executor::Launch& launch) {
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const bool blocks_fit = threads >= 1 && threads <= executor::kMaxThreadsPerCta;
  if (!blocks_fit || launch.ctas() == 0 || launch.ctas() > executor::kMaxCtas) {
    refuse(launch, "launch geometry",
           fmt::format("{} threads a CTA and {} CTAs; 1 to {} and 1 to {} are possible", threads,
                       launch.ctas(), executor::kMaxThreadsPerCta, executor::kMaxCtas));
  }
}

}  // namespace

const ptx::Function& check_launch(const ptx::Module& module, const executor::Launch& launch) {
  const ptx::Function* entry = module.find_entry(launch.entry);
  if (entry == nullptr) {
    refuse(launch, "entry not found",
           fmt::format("no entry '{}'; {}", launch.entry, known_entries(module)));
  }
  check_geometry(launch);
  check_arguments(*entry, launch);
  check_block(*entry, launch);
  return *entry;
}

}  // namespace warplock::reference_interp
