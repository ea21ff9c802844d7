#include "model_exec/transcript.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "executor/located_json.h"

namespace warplock::model_exec {
namespace {

using weights::Token;
using weights::Vocabulary;

constexpr uint32_t kSchema = 1;

bool is_halt(const Vocabulary& vocabulary, uint32_t id) {
  return id == vocabulary.id(Token{});
}

nlohmann::ordered_json tokens_json(const std::vector<uint32_t>& ids, const Vocabulary& vocabulary) {
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
  for (uint32_t id : ids) tokens.push_back({{"id", id}, {"text", vocabulary.text(id)}});
  return tokens;
}

std::vector<uint32_t> read_tokens(const executor::JsonValue& list, const std::string& name,
                                  const Vocabulary& vocabulary) {
  std::vector<uint32_t> ids;
  for (const executor::JsonValue& entry : list.elements("\"" + name + "\"")) {
    std::optional<uint32_t> id;
    for (const auto& [key, value] : entry.members("a token", {"id", "text"})) {
      if (key.string("a key") != "id") continue;
      uint64_t number = value.integer(0, 0xffffffff, "\"id\"");
      if (number < vocabulary.first_id() || number - vocabulary.first_id() >= vocabulary.size()) {
        throw value.error(fmt::format("{} is no id of this machine", number));
      }
      id = static_cast<uint32_t>(number);
    }
    if (!id) throw entry.error("the token has no \"id\"");
    for (const auto& [key, value] : entry.members("a token", {"id", "text"})) {
      if (key.string("a key") != "text") continue;
      if (value.string("\"text\"") != vocabulary.text(*id)) {
        throw value.error(fmt::format("the text of {} is {}", *id, vocabulary.text(*id)));
      }
    }
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace

Transcript run_prompt(SparseModel& model, const Vocabulary& vocabulary,
                      std::vector<uint32_t> prompt, uint64_t max_tokens,
                      const std::function<bool(uint32_t)>& each) {
  Transcript transcript;
  transcript.prompt = std::move(prompt);
  model.reset();
  for (uint32_t id : transcript.prompt) model.append(id);
  while (!transcript.halted && transcript.run.size() < max_tokens) {
    uint32_t id = model.choose(vocabulary.first_id(), vocabulary.size()).id;
    transcript.run.push_back(id);
    transcript.halted = is_halt(vocabulary, id);
    if (each && !each(id)) break;
    if (!transcript.halted) model.append(id);
  }
  return transcript;
}

std::string transcript_json(const Transcript& transcript, const Vocabulary& vocabulary) {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["halted"] = transcript.halted;
  json["prompt"] = tokens_json(transcript.prompt, vocabulary);
  json["run"] = tokens_json(transcript.run, vocabulary);
  return json.dump(1) + "\n";
}

Transcript read_transcript(std::shared_ptr<const diagnostics::SourceText> source,
                           const Vocabulary& vocabulary) {
  executor::JsonDocument document(std::move(source), "transcript");
  executor::JsonValue root = document.root();
  Transcript transcript;
  bool has_schema = false, has_prompt = false, has_run = false;
  for (const auto& [key, value] :
       root.members("a transcript", {"schema", "halted", "prompt", "run"})) {
    std::string name = key.string("a key");
    if (name == "schema") {
      value.integer(kSchema, kSchema, "\"schema\"");
      has_schema = true;
    } else if (name == "prompt") {
      transcript.prompt = read_tokens(value, name, vocabulary);
      has_prompt = true;
    } else if (name == "run") {
      transcript.run = read_tokens(value, name, vocabulary);
      has_run = true;
    }
  }
  if (!has_schema || !has_prompt || !has_run) {
    throw root.error("a transcript has \"schema\", \"prompt\" and \"run\"");
  }
  if (transcript.prompt.empty()) throw root.error("the prompt is empty");
  // What the file claims about its end does not count, what it ends with does.
  transcript.halted = !transcript.run.empty() && is_halt(vocabulary, transcript.run.back());
  return transcript;
}

Replay replay(SparseModel& model, const Vocabulary& vocabulary, const Transcript& transcript) {
  Replay result;
  model.reset();
  for (uint32_t id : transcript.prompt) model.append(id);
  for (uint32_t id : transcript.run) {
    uint32_t chosen = model.choose(vocabulary.first_id(), vocabulary.size()).id;
    if (chosen != id) {
      result.failure = fmt::format("run token {} is {}, the model says {}", result.equal,
                                   vocabulary.text(id), vocabulary.text(chosen));
      return result;
    }
    ++result.equal;
    if (is_halt(vocabulary, id) && result.equal < transcript.run.size()) {
      result.failure = fmt::format("the run goes on after its end, at token {}", result.equal);
      return result;
    }
    model.append(id);
  }
  if (!transcript.halted) {
    result.failure = fmt::format("the transcript is cut off after {} run tokens", result.equal);
  }
  return result;
}

}  // namespace warplock::model_exec
