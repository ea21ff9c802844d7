#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "executor/external.h"
#include "executor/located_json.h"
#include "executor/subprocess.h"
#include "trace/spelling.h"

namespace warplock::executor {
namespace {

constexpr double kMaxTimeoutSeconds = 86'400;

trace::Level read_level(JsonValue value) {
  std::optional<trace::Level> level = trace::level_from(value.string("a level"));
  if (!level) throw value.error("a level is \"off\", \"memory\" or \"registers\"");
  return *level;
}

std::vector<std::string> read_command(JsonValue value) {
  std::vector<std::string> command;
  for (const JsonValue& word : value.elements("\"command\"")) {
    command.push_back(word.string("a word of the command"));
    if (command.back().find('\0') != std::string::npos) {
      throw word.error("a word of the command holds a zero byte");
    }
  }
  if (command.empty() || command.front().empty()) throw value.error("\"command\" is empty");
  return command;
}

ExternalDefinition read_definition(const JsonValue& key, JsonValue value) {
  ExternalDefinition definition;
  definition.name = key.string("a name");
  // It is written as external:NAME in lists that commas separate.
  constexpr const char* kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (definition.name.empty() || definition.name.find_first_not_of(kAllowed) != std::string::npos) {
    throw key.error("an executor's name is made of letters, digits, '_', '-' and '.'");
  }
  for (const auto& member :
       value.members("the definition of an executor",
                     {"command", "warp_widths", "levels", "timeout_seconds", "comment"})) {
    const std::string& field = member.first.string("a key");
    const JsonValue& content = member.second;
    if (field == "command") {
      definition.command = read_command(content);
    } else if (field == "warp_widths") {
      definition.warp_widths.clear();
      for (const JsonValue& width : content.elements("\"warp_widths\"")) {
        uint64_t lanes = width.integer(4, 32, "a warp width");
        if (lanes != 4 && lanes != 32) throw width.error("a warp width is 4 or 32");
        definition.warp_widths.push_back(static_cast<uint32_t>(lanes));
      }
      if (definition.warp_widths.empty()) throw content.error("\"warp_widths\" is empty");
    } else if (field == "levels") {
      std::vector<JsonValue> levels = content.elements("\"levels\"");
      if (levels.empty()) throw content.error("\"levels\" is empty");
      for (const JsonValue& level : levels) {
        definition.max_level = std::max(definition.max_level, read_level(level));
      }
    } else if (field == "timeout_seconds") {
      definition.timeout_seconds = content.number("\"timeout_seconds\"");
      if (!(definition.timeout_seconds > 0 && definition.timeout_seconds <= kMaxTimeoutSeconds)) {
        throw content.error(fmt::format("\"timeout_seconds\" must be more than 0 and at most {}",
                                        kMaxTimeoutSeconds));
      }
    }
  }
  if (definition.command.empty()) throw value.error("the definition has no \"command\"");
  return definition;
}

}  // namespace

std::map<std::string, ExternalDefinition> parse_external_definitions(
    std::shared_ptr<const diagnostics::SourceText> source) {
  JsonDocument document(std::move(source), "executors");
  std::map<std::string, ExternalDefinition> out;
  for (const auto& member : document.root().members("the file of executors")) {
    ExternalDefinition definition = read_definition(member.first, member.second);
    out.emplace(definition.name, definition);
  }
  return out;
}

std::string why_missing(const ExternalDefinition& definition) {
  return definition.command.empty() ? "its command is empty"
                                    : why_not_startable(definition.command.front());
}

}  // namespace warplock::executor
