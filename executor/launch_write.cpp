#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "executor/digest.h"
#include "executor/launch.h"
#include "trace/spelling.h"

namespace warplock::executor {
namespace {

struct Style {
  bool one_line;
  /// A buffer of zeros as its length, so that a large empty buffer stays a short text.
  bool count_zeros;
};

void append_words(std::string& out, const std::vector<uint32_t>& words, Style style) {
  bool zeros = style.count_zeros && words.size() > 16 &&
               std::all_of(words.begin(), words.end(), [](uint32_t word) { return word == 0; });
  if (zeros) {
    out += fmt::format("{{\"words\": {}}}", words.size());
    return;
  }
  out += '[';
  for (size_t i = 0; i < words.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{}", i ? ", " : "", words[i]);
  }
  out += ']';
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view unsigned_type(uint8_t bytes) {
  switch (bytes) {
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 8:
      return "u64";
    default:
      return "u32";
  }
}

std::string text_of(const Launch& launch, Style style) {
  const char* next_key = style.one_line ? " " : "\n  ";
  const char* next_entry = style.one_line ? " " : "\n    ";
  std::string out = fmt::format(
      "{{{0}\"entry\": {1},{0}\"grid\": [{2}],{0}\"block\": [{3}],{0}\"warp_width\": {4},"
      "{0}\"shared_bytes\": {5},{0}\"max_steps\": {6},{0}\"arguments\": [",
      next_key, quoted(launch.entry), fmt::join(launch.grid, ", "), fmt::join(launch.block, ", "),
      launch.warp_width, launch.shared_bytes, launch.max_steps);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    out += fmt::format("{}{}{{\"name\": {}, ", i ? "," : "", next_entry, quoted(argument.name));
    if (argument.is_buffer) {
      out += "\"buffer\": ";
      append_words(out, argument.words, style);
    } else {
      out += fmt::format("\"{}\": {}", unsigned_type(argument.scalar_bytes),
                         argument.scalar & trace::mask_of(argument.scalar_bytes));
    }
    out += '}';
  }
  out += ']';
  if (!launch.expect.empty()) {
    out += fmt::format(",{}\"expect\": {{", next_key);
    bool first = true;
    for (const auto& [name, words] : launch.expect) {
      out += fmt::format("{}{}{}: ", first ? "" : ",", next_entry, quoted(name));
      append_words(out, words, style);
      first = false;
    }
    out += '}';
  }
  out += style.one_line ? "}" : "\n}\n";
  return out;
}

}  // namespace

std::string to_json(const Launch& launch) {
  return text_of(launch, {false, true});
}

std::string to_json_line(const Launch& launch) {
  Launch told = launch;
  told.expect.clear();
  return text_of(told, {true, false});
}

std::string digest(const Launch& launch) {
  Digest all;
  all.add("warplock launch 1");
  all.add(launch.entry);
  for (uint32_t size : launch.grid) all.add(uint64_t{size});
  for (uint32_t size : launch.block) all.add(uint64_t{size});
  all.add(uint64_t{launch.warp_width});
  all.add(uint64_t{launch.shared_bytes});
  all.add(launch.max_steps);
  all.add(uint64_t{launch.arguments.size()});
  for (const Argument& argument : launch.arguments) {
    all.add(argument.name);
    all.add(uint64_t{argument.is_buffer});
    if (argument.is_buffer) {
      all.add(argument.words);
    } else {
      all.add(uint64_t{argument.scalar_bytes});
      all.add(argument.scalar & trace::mask_of(argument.scalar_bytes));
    }
  }
  return all.hex();
}

}  // namespace warplock::executor
