#include "executor/launch.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "executor/located_json.h"
#include "trace/spelling.h"

namespace warplock::executor {
namespace {

struct ScalarType {
  std::string_view name;
  uint8_t bytes;
  int64_t low;
  uint64_t high;
};

constexpr ScalarType kScalarTypes[] = {
    {"u32", 4, 0, std::numeric_limits<uint32_t>::max()},
    {"s32", 4, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()},
    {"u64", 8, 0, std::numeric_limits<uint64_t>::max()},
    {"s64", 8, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()},
    {"u16", 2, 0, std::numeric_limits<uint16_t>::max()},
    {"u8", 1, 0, std::numeric_limits<uint8_t>::max()},
};

const ScalarType* scalar_type(std::string_view name) {
  for (const ScalarType& type : kScalarTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

class LaunchReader {
 public:
  LaunchReader(const diagnostics::SourceText& source, JsonValue root)
      : folder_(std::filesystem::path(source.name()).parent_path()), root_(root) {}

  Launch read() {
    static constexpr std::string_view kRequired[] = {"entry", "grid", "block", "warp_width",
                                                     "arguments"};
    std::set<std::string> seen;
    const JsonValue* expect = nullptr;
    auto members =
        root_.members("a launch", {"entry", "grid", "block", "warp_width", "arguments", "expect",
                                   "shared_bytes", "max_steps", "about", "comment"});
    for (const auto& member : members) {
      const std::string& key = member.first.string("a key");
      seen.insert(key);
      if (key == "expect") expect = &member.second;
      read_member(key, member.second);
    }
    for (std::string_view key : kRequired) {
      if (!seen.count(std::string(key))) {
        throw root_.error(fmt::format("the launch has no \"{}\"", key));
      }
    }
    // Last, because it speaks of the arguments wherever they stand in the text.
    if (expect) read_expect(*expect);
    return std::move(launch_);
  }

 private:
  void read_member(const std::string& key, JsonValue value) {
    if (key == "entry") {
      launch_.entry = value.string("\"entry\"");
      launch_.entry_position = value.position();
      if (launch_.entry.empty()) throw value.error("\"entry\" is empty");
    } else if (key == "grid") {
      launch_.grid = read_dimensions(value, "\"grid\"", kMaxCtas, "CTAs");
    } else if (key == "block") {
      launch_.block = read_dimensions(value, "\"block\"", kMaxThreadsPerCta, "threads in a CTA");
    } else if (key == "warp_width") {
      launch_.warp_width = static_cast<uint32_t>(value.integer(4, 32, "\"warp_width\""));
      if (launch_.warp_width != 4 && launch_.warp_width != 32) {
        throw value.error(
            fmt::format("\"warp_width\" must be 4 or 32, not {}", launch_.warp_width));
      }
    } else if (key == "arguments") {
      for (const JsonValue& argument : value.elements("\"arguments\"")) read_argument(argument);
    } else if (key == "shared_bytes") {
      launch_.shared_bytes =
          static_cast<uint32_t>(value.integer(0, kMaxSharedBytes, "\"shared_bytes\""));
    } else if (key == "max_steps") {
      launch_.max_steps = value.integer(1, std::numeric_limits<uint64_t>::max(), "\"max_steps\"");
    }
  }

  static std::array<uint32_t, 3> read_dimensions(JsonValue value, std::string_view what,
                                                 uint64_t limit, std::string_view unit) {
    std::vector<JsonValue> elements = value.elements(what);
    if (elements.size() != 3) {
      throw value.error(
          fmt::format("{} must have three numbers, x, y and z, not {}", what, elements.size()));
    }
    std::array<uint32_t, 3> out{};
    uint64_t product = 1;
    for (size_t i = 0; i < 3; ++i) {
      uint64_t number = elements[i].integer(1, std::numeric_limits<uint32_t>::max(),
                                            fmt::format("{}[{}]", what, i));
      // At most limit * 2^32 before the check, so it cannot wrap.
      product *= number;
      if (product > limit) {
        throw elements[i].error(fmt::format("{} has more than {} {}", what, limit, unit));
      }
      out[i] = static_cast<uint32_t>(number);
    }
    return out;
  }

  void read_argument(JsonValue value) {
    Argument argument;
    const JsonValue* name = nullptr;
    const JsonValue* content = nullptr;
    const ScalarType* type = nullptr;
    auto members =
        value.members("an argument", {"name", "buffer", "u32", "s32", "u64", "s64", "u16", "u8"});
    for (const auto& member : members) {
      const std::string& key = member.first.string("a key");
      if (key == "name") {
        name = &member.second;
        continue;
      }
      if (content) throw member.first.error("an argument has one value, this one has two");
      content = &member.second;
      type = scalar_type(key);
    }
    if (!name) throw value.error("the argument has no \"name\"");
    if (!content)
      throw value.error("the argument has neither \"buffer\" nor a scalar such as \"u32\"");
    argument.name = name->string("\"name\"");
    if (argument.name.empty()) throw name->error("an argument's name is empty");
    if (!names_.insert(argument.name).second) {
      throw name->error(fmt::format("two arguments are named \"{}\"", argument.name));
    }
    std::string what = fmt::format("\"{}\"", argument.name);
    if (type) {
      argument.scalar_bytes = type->bytes;
      argument.scalar = content->integer(type->low, type->high, what) & trace::mask_of(type->bytes);
    } else {
      argument.is_buffer = true;
      argument.words = read_buffer(*content, kMaxTotalWords - total_words_, what);
      total_words_ += argument.words.size();
    }
    launch_.arguments.push_back(std::move(argument));
  }

  /// [1, 2, 3], {"words": N} or {"file": "x.bin"}.
  std::vector<uint32_t> read_buffer(JsonValue value, uint64_t max_words, const std::string& what) {
    if (value.is_array()) return value.words(max_words, what);
    if (!value.is_object()) {
      throw value.error(fmt::format(
          "{} must be an array of words, {{\"words\": N}} or {{\"file\": \"x.bin\"}}", what));
    }
    auto members = value.members(what, {"words", "file"});
    if (members.size() != 1) {
      throw value.error(fmt::format("{} must have either \"words\" or \"file\"", what));
    }
    JsonValue content = members[0].second;
    if (members[0].first.string("a key") == "file") return read_file(content, max_words);
    uint64_t count = content.integer(0, std::numeric_limits<uint64_t>::max(), "\"words\"");
    if (count > max_words) throw content.error(beyond_limit(what));
    return std::vector<uint32_t>(count, 0);
  }

  std::vector<uint32_t> read_file(JsonValue value, uint64_t max_words) {
    const std::string& name = value.string("\"file\"");
    auto fail = [&](const std::string& why) {
      return value.error(fmt::format("file \"{}\" {}", name, why));
    };
    if (name.empty() || name.find('\0') != std::string::npos) throw fail("has no usable name");
    std::filesystem::path path = folder_ / std::filesystem::path(name);
    std::error_code error;
    // Anything but a regular file may never end (/dev/zero) or never begin (a pipe).
    bool regular = std::filesystem::is_regular_file(path, error);
    if (!regular) throw fail(error ? error.message() : "is not a regular file");
    uint64_t size = std::filesystem::file_size(path, error);
    if (error) throw fail(error.message());
    if (size % 4 != 0) throw fail(fmt::format("has {} bytes, not a multiple of 4", size));
    if (size / 4 > max_words) throw value.error(beyond_limit("\"" + name + "\""));
    std::shared_ptr<const diagnostics::SourceText> bytes;
    try {
      bytes = diagnostics::read_source(path.string(), size);
    } catch (const diagnostics::InputError& unreadable) {
      throw fail(unreadable.diagnostics().front().message);
    }
    if (bytes->text().size() != size) throw fail("changed while it was read");
    std::vector<uint32_t> words(size / 4);
    for (size_t i = 0; i < words.size(); ++i) {
      for (size_t j = 0; j < 4; ++j) {
        words[i] |= uint32_t{static_cast<unsigned char>(bytes->text()[4 * i + j])} << (8 * j);
      }
    }
    return words;
  }

  std::string beyond_limit(std::string_view what) const {
    return fmt::format("{} goes beyond the limit of {} words in all buffers together", what,
                       kMaxTotalWords);
  }

  void read_expect(JsonValue value) {
    for (const auto& member : value.members("\"expect\"")) {
      const std::string& name = member.first.string("a key");
      auto argument = std::find_if(launch_.arguments.begin(), launch_.arguments.end(),
                                   [&](const Argument& a) { return a.name == name; });
      if (argument == launch_.arguments.end() || !argument->is_buffer) {
        throw member.first.error(
            fmt::format("\"expect\" names \"{}\", which is no buffer of the launch", name));
      }
      std::vector<uint32_t> words =
          read_buffer(member.second, kMaxTotalWords, fmt::format("\"expect\" of \"{}\"", name));
      if (words.size() != argument->words.size()) {
        throw member.second.error(
            fmt::format("\"expect\" of \"{}\" has {} words, the buffer has {}", name, words.size(),
                        argument->words.size()));
      }
      launch_.expect[name] = std::move(words);
    }
  }

  std::filesystem::path folder_;
  JsonValue root_;
  Launch launch_;
  std::set<std::string> names_;
  uint64_t total_words_ = 0;
};

}  // namespace

Launch parse_launch(std::shared_ptr<const diagnostics::SourceText> source) {
  JsonDocument document(source, "launch");
  Launch launch = LaunchReader(*source, document.root()).read();
  launch.source = std::move(source);
  return launch;
}

}  // namespace warplock::executor
