#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "circuit/weights/checkpoint/checkpoint.h"
#include "cli/command.h"
#include "model_exec/transcript.h"

namespace warplock::cli {
namespace {

struct ReplayOptions {
  std::string transcript, model;
  bool float32 = false, plain = false, json = false;
};

int replay(const ReplayOptions& options) {
  constexpr size_t kMaxTranscriptBytes = size_t{1} << 30;
  weights::Checkpoint checkpoint = weights::read_checkpoint(options.model);
  weights::Vocabulary vocabulary(checkpoint.spec, checkpoint.first_id);
  model_exec::Transcript transcript = model_exec::read_transcript(
      diagnostics::read_source(options.transcript, kMaxTranscriptBytes), vocabulary);
  model_exec::EngineOptions engine;
  engine.plain = options.plain;
  if (options.float32) engine.arithmetic.precision = model_exec::Precision::kFloat32;
  model_exec::SparseModel model(
      std::make_shared<weights::ModelTensors>(std::move(checkpoint.tensors)), engine);
  auto start = std::chrono::steady_clock::now();
  model_exec::Replay result = model_exec::replay(model, vocabulary, transcript);
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (options.json) {
    nlohmann::ordered_json report;
    report["schema"] = 1;
    report["command"] = "replay";
    report["prompt_tokens"] = transcript.prompt.size();
    report["run_tokens"] = transcript.run.size();
    report["equal"] = result.equal;
    report["verdict"] = result.failure ? "mismatch" : "pass";
    report["reason"] = nullptr;
    if (result.failure) report["reason"] = *result.failure;
    report["seconds"] = elapsed.count();
    fmt::print("{}\n", report.dump(2));
  } else if (result.failure) {
    fmt::print("mismatch: {}\n", *result.failure);
  } else {
    fmt::print("pass: {} prompt tokens, {} run tokens, every one the model's own ({:.3f} s)\n",
               transcript.prompt.size(), transcript.run.size(), elapsed.count());
  }
  return result.failure ? kDisagreement : kOk;
}

}  // namespace

void add_replay(CLI::App& app, int& status) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "Checks every token of a recorded launch again");
  command->add_option("TRANSCRIPT.json", options->transcript, "The record")->required();
  command->add_option("--model", options->model, "The checkpoint")->required()->type_name("DIR");
  command->add_flag("--float32", options->float32, "Activations in float32 instead of bfloat16");
  command->add_flag("--plain", options->plain, "Compute every weight that is not zero");
  command->add_flag("--json", options->json, "Machine-readable output");
  command->callback([options, &status] { status = replay(*options); });
}

}  // namespace warplock::cli
