#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "circuit/weights/token.h"
#include "diagnostics/diagnostic.h"
#include "model_exec/sparse_model.h"

/// Launches as token ids: the closed loop, its record, and the check of a record.
namespace warplock::model_exec {

struct Transcript {
  std::vector<uint32_t> prompt, run;
  /// True when the run ends with the token that ends it; otherwise it was cut off.
  bool halted = false;
};

/// Runs greedily: every token is the argmax over the machine's ids and goes back in. Stops at halt,
/// or after `max_tokens`. `each`, where given, is called after every token and stops the run by
/// returning false.
Transcript run_prompt(SparseModel& model, const weights::Vocabulary& vocabulary,
                      std::vector<uint32_t> prompt, uint64_t max_tokens,
                      const std::function<bool(uint32_t id)>& each = {});

/// JSON: ids, and the text of every token.
std::string transcript_json(const Transcript& transcript, const weights::Vocabulary& vocabulary);

/// Reads one. Throws diagnostics::InputError (class "syntax" or "transcript") with the place, for
/// what is no transcript and for ids or texts that are not the vocabulary's.
Transcript read_transcript(std::shared_ptr<const diagnostics::SourceText> source,
                           const weights::Vocabulary& vocabulary);

/// What a replay found: how many tokens of the run are the model's own, and why it stopped there.
struct Replay {
  uint64_t equal = 0;
  std::optional<std::string> failure;
};

/// Feeds the prompt and every token of the run, and compares each with the model's choice.
Replay replay(SparseModel& model, const weights::Vocabulary& vocabulary,
              const Transcript& transcript);

}  // namespace warplock::model_exec
