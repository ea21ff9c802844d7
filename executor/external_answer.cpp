#include "executor/external_answer.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "executor/external_events.h"
#include "executor/located_json.h"

namespace warplock::executor {
namespace {

constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();

/// Final contents of all buffers, in argument order. A buffer that is not listed is said to be
/// unchanged, and is compared as such.
std::vector<std::pair<std::string, std::vector<uint32_t>>> read_outputs(JsonValue value,
                                                                        const Launch& launch) {
  std::vector<std::pair<std::string, std::vector<uint32_t>>> outputs;
  for (const Argument& argument : launch.arguments) {
    if (argument.is_buffer) outputs.emplace_back(argument.name, argument.words);
  }
  auto members = value.members("\"outputs\"");
  if (members.empty() && !outputs.empty()) throw value.error("\"outputs\" has no buffer");
  for (const auto& member : members) {
    const std::string& name = member.first.string("a key");
    auto output = std::find_if(outputs.begin(), outputs.end(),
                               [&](const auto& o) { return o.first == name; });
    if (output == outputs.end()) {
      throw member.first.error(
          fmt::format("\"outputs\" names \"{}\", which is no buffer of the launch", name));
    }
    size_t wanted = output->second.size();
    std::vector<uint32_t> words = member.second.words(wanted, fmt::format("\"{}\"", name));
    if (words.size() != wanted) {
      throw member.second.error(
          fmt::format("\"{}\" has {} words, the buffer has {}", name, words.size(), wanted));
    }
    output->second = std::move(words);
  }
  return outputs;
}

}  // namespace

ExternalAnswer parse_answer(std::string line, uint64_t expected_id,
                            const ExternalRequest& request) {
  auto source = std::make_shared<const diagnostics::SourceText>("answer", std::move(line));
  JsonDocument document(source, "answer");
  std::optional<JsonValue> id, outputs, events, addresses, unsupported, failure, steps, seconds;
  for (const auto& member : document.root().members(
           "an answer",
           {"id", "outputs", "events", "addresses", "unsupported", "error", "steps", "seconds"})) {
    const std::string& key = member.first.string("a key");
    for (auto [name, slot] :
         std::initializer_list<std::pair<const char*, std::optional<JsonValue>*>>{
             {"id", &id},
             {"outputs", &outputs},
             {"events", &events},
             {"addresses", &addresses},
             {"unsupported", &unsupported},
             {"error", &failure},
             {"steps", &steps},
             {"seconds", &seconds}}) {
      if (key == name) *slot = member.second;
    }
  }
  if (!id) throw document.root().error("the answer has no \"id\"");
  ExternalAnswer answer;
  answer.id = id->integer(0, kAny, "\"id\"");
  if (answer.id != expected_id) return answer;
  if (outputs.has_value() + unsupported.has_value() + failure.has_value() != 1) {
    throw document.root().error("an answer has one of \"outputs\", \"unsupported\" and \"error\"");
  }
  if (unsupported) {
    answer.outcome =
        Refusal{Refusal::Kind::kUnsupported, unsupported->string("\"unsupported\""), {}};
    return answer;
  }
  if (failure) {
    answer.outcome = Refusal{Refusal::Kind::kError, failure->string("\"error\""), {}};
    return answer;
  }
  Execution execution;
  execution.outputs = read_outputs(*outputs, request.launch);
  if (request.level == trace::Level::kOff) {
    execution.trace = empty_trace(request, trace::Level::kOff);
  } else if (!events) {
    throw document.root().error("the answer has no \"events\", which were asked for");
  } else {
    execution.trace = read_events(*events, addresses, request);
  }
  if (steps) execution.steps = steps->integer(0, kAny, "\"steps\"");
  if (seconds) execution.seconds = seconds->number("\"seconds\"");
  answer.outcome = std::move(execution);
  return answer;
}

}  // namespace warplock::executor
